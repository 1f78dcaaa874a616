import { element, makeButton } from "./dom.js";
import type { Words } from "./words/words.js";

const TOAST_MS = 3_500;
const TOAST_LINK_MS = 10_000;
/** Long enough to read it twice; what nobody closes is not there an hour later. */
const ALERT_MS = 30_000;

/** Short words of the bot over one pane, and alerts that stay until OK or for half a minute. Other panes go on meanwhile. */
export class Notices {
  readonly element = element("div", { class: "notices" });
  readonly #toasts = element("div", { class: "toasts", role: "status", "aria-live": "polite" });

  constructor(private readonly words: Words) {
    this.element.append(this.#toasts);
  }

  toast(text: string, link?: { label: string; open: () => void }): void {
    const made = element("div", { class: "toast", "data-testid": "toast" }, element("span", {}, text));
    if (link !== undefined) {
      const open = () => {
        made.remove();
        link.open();
      };
      made.append(makeButton({ onclick: open }, link.label));
    }
    this.#toasts.replaceChildren(made);
    setTimeout(() => made.remove(), link === undefined ? TOAST_MS : TOAST_LINK_MS);
  }

  /** Shows an alert over the pane. */
  alert(title: string, text: string): void {
    const before = document.activeElement;
    const ok = makeButton({ class: "alert-ok", onclick: () => close() }, this.words.alertOk);
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
      clearTimeout(timer);
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
    const timer = setTimeout(close, ALERT_MS);
    veil.addEventListener("click", ({ target }) => target === veil && close());
    veil.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close();
      // OK is the only thing to focus in here.
      if (event.key === "Tab") event.preventDefault();
    });
    this.element.append(veil);
    ok.focus({ preventScroll: true });
  }
}
