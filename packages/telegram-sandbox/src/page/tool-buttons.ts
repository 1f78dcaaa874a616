import { element } from "./dom.js";
import { icon } from "./icons.js";

/** A small button beside the text that is being written. */
export function toolButton(
  name: "attach" | "slash" | "keyboard" | "sticker",
  label: string,
): HTMLButtonElement {
  return element("button", { type: "button", class: "tool", "aria-label": label, title: label }, icon(name));
}

/** The button that sends. */
export function sendButton(label: string): HTMLButtonElement {
  const attributes = { type: "submit", class: "send", "aria-label": label, title: label };
  return element("button", { ...attributes, "data-testid": "send" }, icon("send"));
}
