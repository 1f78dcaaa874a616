import { element } from "./dom.js";

const TOAST_MS = 3_500;
const TOAST_LINK_MS = 10_000;

/** Short words of the bot over one pane, and alerts that wait for OK. Other panes go on meanwhile. */
export class Notices {
  readonly element = element("div", { class: "notices" });
  readonly #toasts = element("div", { class: "toasts", role: "status", "aria-live": "polite" });

  constructor() {
    this.element.append(this.#toasts);
  }

  toast(text: string, link?: { label: string; open: () => void }): void {
    const made = element("div", { class: "toast", "data-testid": "toast" }, element("span", {}, text));
    if (link !== undefined)
      made.append(element("button", { type: "button", onclick: link.open }, link.label));
    this.#toasts.replaceChildren(made);
    setTimeout(() => made.remove(), link === undefined ? TOAST_MS : TOAST_LINK_MS);
  }

  /** Shows an alert. `takesFocus` is false where the tap was made in another window. */
  alert(title: string, text: string, takesFocus: boolean): void {
    const before = document.activeElement;
    const ok = element("button", { type: "button", class: "alert-ok" }, "OK");
    const box = element(
      "div",
      { class: "alert", role: "alertdialog", "aria-label": title, "data-testid": "alert" },
      element("div", { class: "alert-title" }, title),
      element("div", { class: "alert-text", dir: "auto" }, text),
      ok,
    );
    const veil = element("div", { class: "veil" }, box);
    const close = () => {
      veil.remove();
      if (takesFocus && before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
    };
    ok.addEventListener("click", close);
    veil.addEventListener("click", ({ target }) => target === veil && close());
    veil.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close();
      // OK is the only thing to focus in here.
      if (event.key === "Tab") event.preventDefault();
    });
    this.element.append(veil);
    if (takesFocus) ok.focus({ preventScroll: true });
  }
}
