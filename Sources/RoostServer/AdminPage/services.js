// The operators' page's line to the services beside the relay (Docs/openapi.yaml, tag administration), whose origin the
// relay names. Dangerous acts need an operator at the keyboard: the password is asked for, and the request sent again.

import { $, complain, element } from "./dom.js";

/** A request is given up after this. Milliseconds. */
const PATIENCE = 15_000;

class Refused extends Error {
  constructor(code, reason) {
    super(reason);
    this.code = code;
  }
}

let origin = "";
/** Returns a token for the services. */
let token = async () => "";

/** Finds the services. Returns why they can't be used, or nothing. */
export async function openServices(giveToken) {
  token = giveToken;
  const said = await fetch("/v1/page", { cache: "no-cache", signal: AbortSignal.timeout(PATIENCE) })
    .then((answer) => answer.json()).catch(() => ({}));
  origin = said.services ?? "";
  if (!origin) return "This relay has no services beside it (listen.services), so there are no accounts.";
  try {
    await ask("GET", "/v1/admin/audit?limit=1");
    return "";
  } catch (error) {
    if (error.code === "unreachable") {
      return `The services at ${origin} can't be reached, or don't allow this page (services.origins).`;
    }
    return "The services don't take this token. `roost admin page` on their machine prints a link that has one for "
      + "them, too; or sign in as an operator who has an account.";
  }
}

/** Whether there are services that may be asked. */
export const hasServices = () => Boolean(origin);

/** The words of the token: whose it is. The services check it. */
export async function claims() {
  try {
    return JSON.parse(atob((await token()).split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return {};
  }
}

export async function ask(method, path, body) {
  const headers = { Authorization: `Bearer ${await token()}` };
  if (body) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(origin + path, {
      method, headers, body: body && JSON.stringify(body), credentials: "omit", cache: "no-store",
      signal: AbortSignal.timeout(PATIENCE),
    });
  } catch {
    throw new Refused("unreachable", "the services can't be reached");
  }
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(told.code ?? "failed", told.reason ?? `status ${answer.status}`);
  return told;
}

/** The same, with the reason shown if it fails; nothing then. */
export async function tried(method, path, body) {
  complain(null);
  try {
    return await ask(method, path, body);
  } catch (error) {
    if (error.code !== "sign_in_again") return complain(error) ?? null;
  }
  try {
    return (await isConfirmed()) ? await ask(method, path, body) : null;
  } catch (error) {
    if (error.code !== "sign_in_again") return complain(error) ?? null;
    complain({ code: "Sign in again", message: "You signed in more than ten minutes ago, and your account has no "
      + "password. Open a new link: `roost admin link` for the owner, `roost admin user link NAME` for others." });
    return null;
  }
}

/** Asks for the password until it is right. Returns whether the operator has shown it. */
async function isConfirmed() {
  const dialog = $("password-dialog"), field = $("password"), problem = $("password-problem");
  problem.textContent = "";
  for (;;) {
    field.value = "";
    dialog.returnValue = "no";
    dialog.showModal();
    field.focus();
    await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
    if (dialog.returnValue !== "yes") return false;
    try {
      await ask("POST", "/v1/admin/confirm", { password: field.value });
      return true;
    } catch (error) {
      if (error.code !== "invalid_credentials" && error.code !== "invalid") throw error;
      problem.replaceChildren(element("span", {}, "That password is wrong."));
    } finally {
      field.value = "";
    }
  }
}
