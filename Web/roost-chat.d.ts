// `<roost-chat>`: one conversation to put into any page.

import type { Roost } from "./roost.js";

/** The texts of the element. It speaks English and German; replace any of them for another language. */
export interface RoostChatWords {
  field: string;
  send: string;
  older: string;
  retry: string;
  deleted: string;
  hidden: string;
  /** For a message of a kind that it can't show. */
  other: string;
  sending: string;
  sent: string;
  delivered: string;
  read: string;
  edited: string;
  /** The names are joined by commas. */
  typing(names: string): string;
  connecting: string;
  noConnection: string;
  /** Why something isn't sent, by the reason, as `sentences` of roost.js has it in English. */
  failed: Record<string, string>;
}

/** Attributes: `relay`, the address `wss://…/v1/socket`; `to`, a conversation's id or `@name`; `store`, the name of the
 *  browser's store, `roost` if it isn't given; `lang`, `en` or `de`: without it that of the page, or else the browser's. It needs
 *  `token` or `roost`, and shows nothing before.
 *
 *  Events: `roostsend` with `{ id, text }` when the user has sent something, and `roosterror` with an error in `detail` when
 *  something failed that the element doesn't show itself. Both bubble. */
export declare class RoostChat extends HTMLElement {
  /** Returns a valid token, as `Settings.token` of roost.js. The element then has a Roost of its own. */
  token?: () => string | Promise<string>;
  /** The app's own Roost, which it opens and connects itself; several elements may share it. */
  roost?: Roost;
  get words(): RoostChatWords;
  /** Absent texts stay as they are. */
  set words(words: Partial<RoostChatWords>);
}

declare global {
  interface HTMLElementTagNameMap {
    "roost-chat": RoostChat;
  }
}
