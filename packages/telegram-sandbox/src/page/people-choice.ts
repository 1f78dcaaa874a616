import { postSharedUsers } from "./api.js";
import { element } from "./dom.js";
import { fullName } from "./format.js";
import type { Person } from "./store.js";
import { wordsIn } from "./words/words.js";

/**
 * Shows the people of the sandbox for a button with `request_users`, and shares the chosen one.
 * @returns the panel, which removes itself
 */
export function peopleChoice(
  people: readonly Person[],
  chooser: Person,
  place: { chat: number; request_id: number },
): HTMLElement {
  const words = wordsIn(chooser.user.language_code);
  const veil: HTMLElement = element("div", { class: "veil", onclick: () => veil.remove() });
  const buttons = people.map(({ user }) =>
    element(
      "button",
      {
        type: "button",
        class: "key",
        onclick: () => {
          veil.remove();
          void postSharedUsers({ person: chooser.user.id, ...place, user_ids: [user.id] });
        },
      },
      element("span", { class: "button-label" }, fullName(user)),
    ),
  );
  const box = element(
    "div",
    { class: "alert", role: "dialog", "aria-label": words.choosePeople, "data-testid": "people-choice" },
    element("div", { class: "alert-title" }, words.choosePeople),
    ...buttons,
  );
  veil.append(box);
  return veil;
}
