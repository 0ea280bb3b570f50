// Building blocks for the dialogs of several parts of the page.

/** A dialog with a title, a button that closes it, and what is in it. */
export function dialog({ $, element, icon, equip, t }, name, title, ...children) {
  const close = element("button", { type: "button", class: "icon", "data-close": "", "aria-label": t("close") }, icon("close"));
  const head = element("header", { class: "row" }, element("h2", { id: `${name}-title`, class: "grow", dir: "auto" }, title), close);
  const made = element("dialog", { id: `${name}-dialog`, "aria-labelledby": `${name}-title` }, head, ...children);
  $("confirm").before(made);
  equip(made);
  return made;
}

/** A label and its field. */
export function field({ element }, id, words, kind = "input", attributes = {}, ...children) {
  return element("p", { class: "field" }, element("label", { for: id }, words), element(kind, { id, ...attributes }, ...children));
}

/** A symbol beside those of the page. */
export function symbol({ $ }, id, path) {
  if ($(id)) return;
  const make = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const made = make("symbol", { id, viewBox: "0 0 24 24" });
  made.append(make("path", { d: path }));
  $("reply").parentNode.append(made);
}

/** Rules of one part, beside those of the page. */
export function style(rules) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  document.adoptedStyleSheets.push(sheet);
}
