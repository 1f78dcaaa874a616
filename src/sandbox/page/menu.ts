import { element } from "./dom.js";
import { type IconName, icon } from "./icons.js";

export interface MenuItem {
  label: string;
  icon: IconName;
  isDanger?: boolean;
  choose(): void;
}

/** A button with a menu; what the menu offers is asked each time it opens. */
export function menuButton(label: string, offer: () => { head: string[]; items: MenuItem[] }): HTMLElement {
  const button = element(
    "button",
    {
      type: "button",
      class: "tool",
      "aria-label": label,
      title: label,
      "aria-haspopup": "menu",
      "aria-expanded": "false",
    },
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
    const buttons = items.map((item) => {
      const choose = () => {
        close();
        button.focus();
        item.choose();
      };
      return element(
        "button",
        { type: "button", role: "menuitem", class: item.isDanger ? "is-danger" : "", onclick: choose },
        icon(item.icon),
        item.label,
      );
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
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const buttons = [...list.querySelectorAll("button")];
      const place = buttons.findIndex((one) => one.matches(":focus"));
      const step = event.key === "ArrowDown" ? 1 : buttons.length - 1;
      buttons[(place + step) % buttons.length]?.focus();
    }
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !root.contains(target)) close();
  });
  return root;
}
