import { element } from "./dom.js";
import { initials } from "./format.js";

/** Pigments that style.css knows for people; the one after them is the bot's. */
const PEOPLE_HUES = 5;
const BOT_HUE = 5;

/** The colour of a person by their place among all; the bot has one of its own. */
export function hueOf(index: number): number {
  return index < 0 ? BOT_HUE : index % PEOPLE_HUES;
}

/** A round sign for a person, the bot or a group, in the person's colour. */
export function avatar(name: string, hue: number, kind: "person" | "bot" | "group" = "person"): HTMLElement {
  return element(
    "span",
    { class: `avatar is-${kind}`, "data-hue": hue, "aria-hidden": "true" },
    kind === "bot" ? "A" : initials(name),
  );
}
