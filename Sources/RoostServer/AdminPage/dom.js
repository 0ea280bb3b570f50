// Shared by the parts of the operators' page: elements, tables, numbers, and questions. Text of others is only ever set
// as text.

export const $ = (id) => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A button that does something when it is pressed. */
export function button(words, act, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, words);
  made.addEventListener("click", act);
  return made;
}

/** A row of a table whose cells say on a narrow screen what they are. */
export function row(table, cells) {
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  return element("tr", {}, ...cells.map((cell, place) => element("td", { "data-label": heads[place] }, cell)));
}

export const count = (value) => (value === undefined ? "–" : value.toLocaleString("en"));
/** A number of things. */
export const things = (number, one) => `${count(number)} ${one}${number === 1 ? "" : "s"}`;
export const when = (time) => (time === undefined ? "" : new Date(time).toLocaleString());

/** Shows why something couldn't be done; nothing if there is no error. */
export const complain = (error) => {
  $("notice").textContent = error ? `${error.code ?? "Problem"}: ${error.message}` : "";
};

/** Asks whether something is meant. "No" is what Enter and Escape say: a dialog's first button has the focus. */
export function confirmed(question) {
  const dialog = $("confirm");
  $("confirm-text").textContent = question;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
