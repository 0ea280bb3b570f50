// Accounts at roost-services: signing up, in and out, and an access token whenever the session needs one. It shows
// nothing; app.js does.

/** An access token that ends sooner than this is renewed first. Milliseconds. */
const MARGIN = 60_000;
/** A request is given up after this. Milliseconds. */
const PATIENCE = 15_000;

/** A refusal of the services, or why they can't be reached: `unreachable`. */
export class AccountError extends Error {
  constructor(code, reason, { member, retryAfter, ticket } = {}) {
    super(reason);
    Object.assign(this, { code, member, retryAfter, ticket });
  }
}

/** The accounts of this browser, one for each user. `storage` keeps what outlives the page: `get`, `set` and `remove`
 *  of a user's sign-in as text. */
export class Accounts {
  /** This browser's name in sessions: a token is valid for one device. */
  device;
  #origin;
  #storage;
  #access = new Map();
  #renewals = new Map();

  /** Asks the relay where the services are. Nothing if it has none, undefined if it doesn't answer. */
  static async find() {
    try {
      const answer = await fetch("/v1/page", { cache: "no-cache", signal: AbortSignal.timeout(PATIENCE) });
      return answer.ok ? (await answer.json()).services ?? "" : undefined;
    } catch {
      return undefined;
    }
  }

  constructor(origin, device, storage) {
    this.#origin = origin;
    this.device = device;
    this.#storage = storage;
  }

  // -- Coming and going

  /** Returns the user's id. */
  async signUp({ email, password, displayName, role }) {
    const { device } = this;
    return this.#keep(await this.#ask("POST", "/v1/accounts", { body: { email, password, displayName, role, device } }));
  }

  async signIn({ email, password }) {
    const { device } = this;
    return this.#keep(await this.#ask("POST", "/v1/sessions", { body: { email, password, device } }));
  }

  /** Signs in by a link of the owner's or of a friend's. A new user needs a name. */
  async signInByLink(token, displayName, role) {
    const { device } = this;
    return this.#keep(await this.#ask("POST", "/v1/sessions/link", { body: { token, displayName, role, device } }));
  }

  /** The maker and the target of the invitation with this code: `name` and `group`, if there are any. */
  invitation(code) { return this.#ask("POST", "/v1/invitations/show", { body: { code } }); }

  /** Makes an account for a user who follows an invitation. */
  async signInByInvitation(code, displayName, role) {
    const { device } = this;
    return this.#keep(await this.#ask("POST", "/v1/sessions/invitation", { body: { code, displayName, role, device } }));
  }

  /** The second step of a sign-in that failed with `factor_required`: its `ticket`, and a code. */
  async signInByCode(ticket, code) {
    const { device } = this;
    return this.#keep(await this.#ask("POST", "/v1/sessions/factor", { body: { ticket, code, device } }));
  }

  /** Roles of which one is chosen at sign-up; none where the operator has named none. */
  async roles() { return (await this.#ask("GET", "/v1/accounts/rules").catch(() => ({}))).roles ?? []; }

  // -- Signing in with others

  /** The providers to sign in with. The flow needs a secure context. */
  async providers() {
    if (!globalThis.crypto?.subtle) return [];
    const { providers } = await this.#ask("GET", "/v1/openid").catch(() => ({}));
    return providers ?? [];
  }

  /** Where to go to sign in with a provider. Only who has the secret can finish what comes back. */
  async begin(provider) {
    const secret = crypto.randomUUID() + crypto.randomUUID();
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret)));
    const base64 = btoa(String.fromCharCode(...hash));
    const challenge = base64.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
    return { secret, address: `${this.#origin}/v1/openid/${provider}/start?challenge=${challenge}` };
  }

  /** Finishes it. A new user needs a name if the provider doesn't give one; then the same code is valid once more. */
  async finish(code, secret, displayName, role) {
    const body = { code, verifier: secret, displayName, role, device: this.device };
    return this.#keep(await this.#ask("POST", "/v1/openid/exchange", { body }));
  }

  /** Whether this browser has a sign-in of the user. */
  has(user) { return this.#storage.get(user) !== undefined; }

  /** A valid access token. Fails with `unauthorized`, `refresh_reused` or `suspended` if the sign-in has ended,
   *  which is then forgotten. */
  async token(user) {
    const access = this.#access.get(user);
    // A changed clock ends it early, and never late.
    const passed = access && Math.max(performance.now() - access.since, Math.abs(Date.now() - access.at));
    if (access && access.life - passed > MARGIN) return access.token;
    // Once for all who ask meanwhile.
    if (!this.#renewals.has(user)) {
      this.#renewals.set(user, this.#renew(user).finally(() => this.#renewals.delete(user)));
    }
    return this.#renewals.get(user);
  }

  async #renew(user) {
    // Tabs take turns, and one that waited finds the other's.
    const turn = (act) => (navigator.locks ? navigator.locks.request(`roost.refresh.${user}`, act) : act());
    for (;;) {
      const token = await turn(() => this.#exchange(user));
      if (token) return token;
    }
  }

  /** The new access token. Nothing if another tab has exchanged the refresh token meanwhile. */
  async #exchange(user) {
    const kept = this.#kept(user);
    if (!kept) throw new AccountError("unauthorized", "signed out");
    try {
      this.#keep(await this.#ask("POST", "/v1/sessions/refresh", { body: { refreshToken: kept.refreshToken, key: kept.key } }));
    } catch (error) {
      // Where there are no locks, what the other tab has kept is newer than this refusal.
      const newer = this.#kept(user);
      if (newer && newer.refreshToken !== kept.refreshToken) return undefined;
      if (["unauthorized", "refresh_reused", "invalid_credentials", "suspended"].includes(error.code)) this.forget(user);
      throw error;
    }
    return this.#access.get(user).token;
  }

  #kept(user) {
    try { return JSON.parse(this.#storage.get(user) ?? "null"); } catch { return null; }
  }

  #keep({ user, accessToken, refreshToken, session }) {
    const { iat, exp } = JSON.parse(atob(accessToken.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));
    // This machine's clock may be wrong by years: only the token's lifetime counts, from now.
    const life = (exp - iat) * 1_000;
    this.#access.set(user, { token: accessToken, life, since: performance.now(), at: Date.now() });
    // The name of its exchange, so that one whose answer is lost can be asked for again.
    const key = String(crypto.getRandomValues(new Uint32Array(4)));
    this.#storage.set(user, JSON.stringify({ refreshToken, session, key }));
    return user;
  }

  forget(user) {
    this.#access.delete(user);
    this.#storage.remove(user);
  }

  /** Signs out here, or everywhere. If the services can't be reached, the session here ends when its time is over. */
  async signOut(user, { everywhere = false } = {}) {
    try {
      await this.#ask("DELETE", everywhere ? "/v1/sessions" : "/v1/sessions/current", { user });
    } catch (error) {
      if (everywhere) throw error;
    }
    this.forget(user);
  }

  // -- Passwords and links

  async forgot(email) { await this.#ask("POST", "/v1/password/forgot", { body: { email } }); }

  async reset(token, password) { await this.#ask("POST", "/v1/password/reset", { body: { token, password } }); }

  /** Asks for another mail that confirms the user's own address. */
  async sendConfirmation(user) { await this.#ask("POST", "/v1/account/confirmation", { user }); }

  /** The account that asks for an address to be confirmed, before it is: `email`, `displayName` and `asked`, a time. */
  confirmation(token) { return this.#ask("POST", "/v1/email/verify/show", { body: { token } }); }

  async verify(token) { await this.#ask("POST", "/v1/email/verify", { body: { token } }); }

  async changePassword(user, password, newPassword) {
    await this.#ask("POST", "/v1/password/change", { user, body: { password, newPassword } });
  }

  async addPassword(user, email, password) {
    await this.#ask("POST", "/v1/account/password", { user, body: { email, password } });
  }

  // -- The second factor

  /** `since` if it is on, `recoveryCodes` that are left, and whether it is `required`. */
  factor(user) { return this.#ask("GET", "/v1/account/factor", { user }); }

  /** A `secret`, and its `address` for a QR code. It isn't asked for before its first code. */
  offerFactor(user, password) { return this.#ask("POST", "/v1/account/factor", { user, body: { password } }); }

  /** Turns it on. Returns the recovery codes. */
  async turnOnFactor(user, code) {
    return (await this.#ask("POST", "/v1/account/factor/confirm", { user, body: { code } })).recoveryCodes;
  }

  async renewRecoveryCodes(user, password, code) {
    return (await this.#ask("POST", "/v1/account/factor/codes", { user, body: { password, code } })).recoveryCodes;
  }

  async turnOffFactor(user, password, code) { await this.#ask("DELETE", "/v1/account/factor", { user, body: { password, code } }); }

  // -- What there is

  /** Whether there is a way to sign in again: a password, a mail to an address, or an identity elsewhere. */
  async hasWayIn(user, { email, hasPassword }) {
    if (email !== undefined || hasPassword) return true;
    return (await this.#ask("GET", "/v1/account/identities", { user })).identities.length > 0;
  }

  account(user) { return this.#ask("GET", "/v1/account", { user }); }

  async sessions(user) { return (await this.#ask("GET", "/v1/sessions", { user })).sessions; }

  async end(user, session) { await this.#ask("DELETE", `/v1/sessions/${encodeURIComponent(session)}`, { user }); }

  async erase(user, password) {
    await this.#ask("DELETE", "/v1/account", { user, body: { password } });
    this.forget(user);
  }

  async #ask(method, path, { user, body } = {}) {
    const headers = {};
    if (body) headers["Content-Type"] = "application/json";
    if (user) headers.Authorization = `Bearer ${await this.token(user)}`;
    let answer;
    try {
      answer = await fetch(this.#origin + path, {
        method, headers, body: body && JSON.stringify(body), credentials: "omit", cache: "no-store",
        signal: AbortSignal.timeout(PATIENCE),
      });
    } catch {
      throw new AccountError("unreachable", "the services can't be reached");
    }
    const told = await answer.json().catch(() => ({}));
    if (answer.ok) return told;
    const retryAfter = Number(answer.headers.get("Retry-After")) || undefined;
    throw new AccountError(told.code ?? "failed", told.reason ?? `status ${answer.status}`, { ...told, retryAfter });
  }
}
