/** What may stand inside an element; `false` and `undefined` are left out, so conditions read inline. */
export type Child = Node | string | false | undefined;

export type Attributes = Record<
  string,
  string | number | boolean | undefined | ((event: Event) => void | Promise<void>)
>;

/**
 * Makes an element. Functions become listeners (`onclick` → `click`), `true` an empty attribute,
 * `false` and `undefined` nothing. Strings become text nodes: data never turns into markup.
 */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== undefined && value !== false) made.setAttribute(name, String(value));
  }
  fill(made, ...children);
  return made;
}

/** Makes a button that sends no form. */
export function makeButton(attributes: Attributes, ...children: Child[]): HTMLButtonElement {
  return element("button", { type: "button", ...attributes }, ...children);
}

/** Appends children, leaving out the absent ones. */
export function fill(parent: Node, ...children: Child[]): void {
  for (const child of children) {
    if (child === undefined || child === false) continue;
    parent.appendChild(typeof child === "string" ? document.createTextNode(child) : child);
  }
}

/** Finds an element that index.html promises; its absence is a fault of the page itself. */
export function required<T extends HTMLElement>(selector: string, kind: new () => T): T {
  const found = document.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`index.html lacks ${selector}`);
  return found;
}

/** True where the reader asked the system for less motion. */
export function prefersStillness(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Part of a view that is rebuilt only when what it shows has changed: media keeps playing through edits. */
export class Slot {
  readonly element: HTMLElement;
  #signature = "";

  constructor(className: string) {
    this.element = element("div", { class: className, hidden: true });
  }

  /** Shows what `build` makes; an empty signature empties the slot. */
  show(signature: string, build: () => Child[]): void {
    if (signature === this.#signature) return;
    this.#signature = signature;
    this.element.replaceChildren();
    if (signature !== "") fill(this.element, ...build());
    this.element.hidden = signature === "";
  }
}

/**
 * Gives a parent exactly these children in this order, touching only what is out of place: an element that is moved
 * loses its focus, its scroll position and a click that has begun. What `mayLinger` accepts stays where it is.
 */
export function arrangeChildren(
  parent: Element,
  wanted: readonly Element[],
  mayLinger: (child: Element) => boolean = () => false,
): void {
  const kept = new Set(wanted);
  for (const child of [...parent.children]) if (!kept.has(child) && !mayLinger(child)) child.remove();
  let place = parent.firstElementChild;
  for (const child of wanted) {
    while (place !== null && !kept.has(place)) place = place.nextElementSibling;
    if (place === child) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
  }
}
