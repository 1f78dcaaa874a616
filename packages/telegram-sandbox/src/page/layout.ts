import { avatar, hueOf } from "./avatar.js";
import { element, makeButton } from "./dom.js";
import { fullName } from "./format.js";
import type { Pane } from "./pane.js";
import { counted, pageWords, wordsIn } from "./words/words.js";

const PANE_WIDTH_MIN = 400;
/** Beside another panel a pane may be as narrow as a phone, so that nobody is hidden for its sake. */
const PANE_WIDTH_MIN_BESIDE = 300;
const PANES_MAX = 3;

/**
 * Decides whose panes are shown: as many as fit, one of them prominent. The address keeps it:
 * `#person=101&panes=2&group=102` is the prominent person, how many panes, and who looks at the group.
 */
export class Layout {
  readonly #panes: readonly Pane[];
  readonly #stage: HTMLElement;
  readonly #chips = new Map<number, { chip: HTMLButtonElement; unread: HTMLElement }>();
  readonly #counts: HTMLButtonElement[] = [];
  /** People by how lately they were chosen: the first of them are shown. */
  #recent: number[];
  #wanted = PANES_MAX;
  #isBeside = false;

  constructor(panes: readonly Pane[], stage: HTMLElement, chips: HTMLElement, counts: HTMLElement) {
    this.#panes = panes;
    this.#stage = stage;
    this.#recent = panes.map(({ person }) => person.user.id);
    for (const pane of panes) chips.append(this.#makeChip(pane));
    for (let count = 1; count <= Math.min(PANES_MAX, panes.length); count += 1) {
      const label = counted(count, pageWords.frame.panes, pageWords);
      const button = makeButton({ "aria-label": label, title: label }, String(count));
      button.addEventListener("click", () => {
        this.#wanted = count;
        this.#save();
      });
      this.#counts.push(button);
      counts.append(button);
    }
    addEventListener("hashchange", () => this.#load());
    addEventListener("resize", () => this.fit());
    this.#load();
  }

  /** Shows what is unread on the people's chips. */
  renderUnread(): void {
    for (const pane of this.#panes) {
      const unread = this.#chips.get(pane.person.user.id)?.unread;
      if (unread === undefined) continue;
      unread.hidden = pane.unread === 0;
      unread.textContent = String(pane.unread);
    }
  }

  /** Shows as many panes as the stage has room for. `isBeside`: something stands beside them. */
  fit(isBeside = this.#isBeside): void {
    this.#isBeside = isBeside;
    this.#show();
  }

  /** Writes the layout into the address and shows it. */
  save(): void {
    this.#save();
  }

  #makeChip(pane: Pane): HTMLButtonElement {
    const { user, index } = pane.person;
    const unread = element("span", { class: "unread", hidden: true });
    const chip = makeButton(
      { class: "chip", "data-hue": hueOf(index), "data-chip": user.id, title: fullName(user) },
      avatar(fullName(user), hueOf(index)),
      element("span", { class: "chip-name" }, user.first_name),
      user.is_admin && element("span", { class: "admin-mark" }, wordsIn(user.language_code).admin),
      unread,
    );
    chip.addEventListener("click", () => {
      this.#prefer(user.id);
      this.#save();
    });
    this.#chips.set(user.id, { chip, unread });
    return chip;
  }

  #prefer(id: number): void {
    this.#recent = [id, ...this.#recent.filter((one) => one !== id)];
  }

  #load(): void {
    const hash = new URLSearchParams(location.hash.slice(1));
    const person = Number(hash.get("person"));
    if (this.#chips.has(person)) this.#prefer(person);
    const panes = Number(hash.get("panes"));
    if (panes >= 1 && panes <= PANES_MAX) this.#wanted = panes;
    const inGroup = (hash.get("group") ?? "").split(",").map(Number);
    for (const pane of this.#panes) pane.open(inGroup.includes(pane.person.user.id) ? "group" : "private");
    this.#show();
  }

  #save(): void {
    const inGroup = this.#panes.filter(({ tab }) => tab === "group").map(({ person }) => person.user.id);
    const parts = [`person=${this.#recent[0]}`, `panes=${this.#wanted}`];
    if (inGroup.length > 0) parts.push(`group=${inGroup.join(",")}`);
    history.replaceState(null, "", `#${parts.join("&")}`);
    this.#show();
  }

  #show(): void {
    const widthMin = this.#isBeside ? PANE_WIDTH_MIN_BESIDE : PANE_WIDTH_MIN;
    const fitting = Math.max(1, Math.floor(this.#stage.clientWidth / widthMin));
    const count = Math.min(this.#wanted, fitting, PANES_MAX);
    const shown = this.#recent.slice(0, count);
    for (const pane of this.#panes) {
      const { id } = pane.person.user;
      pane.setVisible(shown.includes(id));
      pane.element.classList.toggle("is-prominent", id === shown[0]);
      const chip = this.#chips.get(id)?.chip;
      chip?.setAttribute("aria-pressed", String(shown.includes(id)));
      chip?.classList.toggle("is-prominent", id === shown[0]);
      if (id === shown[0]) chip?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    document.documentElement.dataset.panes = String(Math.min(count, this.#panes.length));
    for (const [index, button] of this.#counts.entries()) {
      button.setAttribute("aria-pressed", String(index + 1 === count));
      button.disabled = index + 1 > fitting;
    }
    this.renderUnread();
  }
}
