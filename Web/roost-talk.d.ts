// Requests, threads and forwarded messages for an app in a browser or in Node. The words are those of Docs/Protocol.md,
// sections 5 and 15.

import type { Destination, Message, Observable, Person, Roost, Stop, Time } from "./roost.js";

/** A stranger's first message, which waits until the user accepts or drops it. */
export interface Request {
  conversation: string;
  /** The sender of the request. */
  user: string;
  person: Person;
  /** The last message; absent if the relay can't show it. */
  message?: Message;
  time: Time;
  unread: number;
}

export interface TalkSnapshot {
  /** Whether the requests have come since the app was started. */
  isKnown: boolean;
  /** Newest first, at most 100. */
  requests: Request[];
  /** Whether more wait. */
  hasMore: boolean;
}

export interface ThreadSnapshot {
  /** The message with which it began; absent until it is known. */
  root?: Message;
  /** The others, oldest first, with those that wait to be sent. */
  items: Message[];
  /** Whether a page has come since it was opened. */
  isKnown: boolean;
  hasOlder: boolean;
}

/** An open thread. */
export interface Thread extends Observable<ThreadSnapshot> {
  readonly snapshot: ThreadSnapshot;
  onChange(listener: (snapshot: ThreadSnapshot) => void): Stop;
  /** Sends a text in it, as `Timeline.send` does: it is stored when this resolves. The draft of the timeline stays. */
  send(text: string, options?: { replyTo?: string; mentions?: string[] }): Promise<string>;
  /** Shows up to 100 older messages, which needs a session. */
  loadOlder(): Promise<void>;
  /** Closes the thread. */
  close(): void;
}

/** The requests, threads and forwards of one user, on top of a `Roost`. */
export class Talk implements Observable<TalkSnapshot> {
  constructor(roost: Roost);
  readonly snapshot: TalkSnapshot;
  onChange(listener: (snapshot: TalkSnapshot) => void): Stop;
  /** Turns a request into an ordinary conversation. Answering it does the same. */
  accept(conversation: string): Promise<void>;
  /** Removes a request from the list. The sender isn't notified. */
  drop(conversation: string): Promise<void>;
  /** Opens the thread that began, or shall begin, with the message of this sequence. */
  thread(destination: Destination, root: number): Promise<Thread>;
  /** Sends on what a stored message of the conversation with this id says. It is in the outbox when this resolves, with
   *  `origin`, and says who wrote it; the relay takes what the message says when its turn comes. Returns its identity. */
  forward(message: Message, conversation: string, to: Destination): Promise<string>;
  /** Closes the view. */
  close(): void;
}
