import { element, makeButton } from "./dom.js";
import { type IconName, icon } from "./icons.js";

export interface MenuItem {
  label: string;
  icon: IconName;
  isDanger?: boolean;
  choose(): void;
}

/** A button with a menu; what the menu offers is asked each time it opens. */
export function menuButton(label: string, offer: () => { head: string[]; items: MenuItem[] }): HTMLElement {
  const button = makeButton(
    { class: "tool", "aria-label": label, title: label, "aria-haspopup": "menu", "aria-expanded": "false" },
    icon("more"),
  );
  const list = element("div", { class: "menu", role: "menu", hidden: true });
  const root = element("div", { class: "menu-root", "data-testid": "menu" }, button, list);
  const close = () => {
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
  };
  button.addEventListener("click", () => {
    if (!list.hidden) {
      close();
      return;
    }
    const { head, items } = offer();
    const lines = head.map((line) => element("div", { class: "menu-line" }, line));
    const buttons = itemButtons(items, () => {
      close();
      button.focus();
    });
    list.replaceChildren(...lines, ...buttons);
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    buttons[0]?.focus();
  });
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      close();
      button.focus();
    }
    moveInMenu(list, event);
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !root.contains(target)) close();
  });
  return root;
}

/** Buttons of a menu; `close` is called before what was chosen happens. */
export function itemButtons(items: readonly MenuItem[], close: () => void): HTMLButtonElement[] {
  return items.map((item) => {
    const choose = () => {
      close();
      item.choose();
    };
    return makeButton(
      { role: "menuitem", class: item.isDanger ? "is-danger" : "", onclick: choose },
      icon(item.icon),
      item.label,
    );
  });
}

/** The arrows go through a menu's buttons. */
export function moveInMenu(list: HTMLElement, event: KeyboardEvent): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  const buttons = [...list.querySelectorAll("button")];
  const place = buttons.findIndex((one) => one.matches(":focus"));
  const step = event.key === "ArrowDown" ? 1 : buttons.length - 1;
  buttons[(place + step) % buttons.length]?.focus();
}
