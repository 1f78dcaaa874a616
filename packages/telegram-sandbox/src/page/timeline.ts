import type { Chat, Outgoing } from "./chat.js";
import { arrangeChildren, element, makeButton, prefersStillness, Slot } from "./dom.js";
import { byteSize, clockTime, dayName } from "./format.js";
import { icon } from "./icons.js";
import { BubbleRow, type RowActions } from "./row.js";
import { arrange, serviceText, type Unit } from "./units.js";
import { counted, type Words } from "./words/words.js";

/** A message on its way, or one that failed and waits for the person to try again. */
class OutgoingRow {
  readonly element = element("article", {
    class: "row is-own is-first is-last is-outgoing",
    "data-testid": "outgoing",
  });
  readonly #content = new Slot("bubble");
  readonly #failure = new Slot("failure");
  readonly #waiting = new Slot("waiting");
  readonly #previews: string[] = [];
  readonly #words: Words;
  readonly #retry: (key: string) => void;
  readonly #discard: (key: string) => void;

  constructor(actions: { retry(key: string): void; discard(key: string): void; words: Words }) {
    this.#words = actions.words;
    this.#retry = actions.retry;
    this.#discard = actions.discard;
    this.element.append(
      element("div", { class: "stack" }, this.#content.element, this.#waiting.element, this.#failure.element),
    );
  }

  update(outgoing: Outgoing, isFirst: boolean): void {
    this.element.classList.toggle("is-first", isFirst);
    this.element.classList.toggle("is-failed", outgoing.state === "failed");
    this.#content.show(`${outgoing.key} ${outgoing.state}`, () => {
      this.release();
      const meta = element(
        "span",
        { class: "meta" },
        clockTime(outgoing.date),
        icon(outgoing.state === "failed" ? "alert" : "clock"),
      );
      return [
        ...outgoing.files.map((file) => this.#preview(file, outgoing.as)),
        element("div", { class: "text", dir: "auto" }, outgoing.text, meta),
      ];
    });
    this.element.classList.toggle("is-waiting", outgoing.state === "waiting");
    const discard = () => this.#discard(outgoing.key);
    this.#waiting.show(outgoing.state === "waiting" ? outgoing.key : "", () => [
      element("span", {}, this.#words.waiting),
      makeButton({ onclick: discard }, this.#words.delete),
    ]);
    this.#failure.show(outgoing.state === "failed" ? outgoing.reason : "", () => [
      element("span", { role: "alert" }, outgoing.reason),
      makeButton(
        { "data-testid": "retry", onclick: () => this.#retry(outgoing.key) },
        icon("retry"),
        this.#words.retry,
      ),
      makeButton({ onclick: discard }, this.#words.delete),
    ]);
  }

  /** Frees the pictures that were shown from memory. */
  release(): void {
    for (const url of this.#previews.splice(0)) URL.revokeObjectURL(url);
  }

  #preview(file: File, as: Outgoing["as"]): HTMLElement {
    if (!file.type.startsWith("image/") || as === "document") {
      return element(
        "div",
        { class: "outgoing-file" },
        icon("file"),
        `${file.name} · ${byteSize(file.size, this.#words)}`,
      );
    }
    const url = URL.createObjectURL(file);
    this.#previews.push(url);
    return element("img", { class: "outgoing-photo", src: url, alt: file.name });
  }
}

const SHOWN_STEP = 200;
/** Distance from the end within which a reader counts as being there. */
const END_PX = 48;
const LEAVE_MS = 220;

interface Row {
  element: HTMLElement;
  update(unit: Unit): void;
  release?(): void;
}

export interface TimelineActions extends RowActions {
  retry(key: string): void;
  discard(key: string): void;
}

/** The messages of one chat. It stays at the end while the reader is there, and else where the reader is. */
export class Timeline {
  readonly element: HTMLElement;
  readonly #scroller: HTMLElement;
  readonly #list = element("div", { class: "rows" });
  readonly #earlier: HTMLButtonElement;
  readonly #toEnd: HTMLButtonElement;
  readonly #toEndCount = element("span", { class: "count" });
  readonly #rows = new Map<string, Row>();
  #isAtEnd = true;
  /** The heights that `#isAtEnd` was found with: at others a scroll may be the layout's and not the reader's. */
  #heights = "";
  #newBelow = 0;
  #shownMax = SHOWN_STEP;
  #hasRendered = false;
  #lastSeenId = 0;
  #topic: number | undefined;

  constructor(
    private readonly chat: Chat,
    private readonly ownerId: number,
    title: string,
    private readonly intro: HTMLElement,
    private readonly actions: TimelineActions,
  ) {
    const { words } = actions;
    this.#earlier = makeButton({ class: "earlier", hidden: true }, words.earlier);
    this.#earlier.addEventListener("click", () => this.#showEarlier());
    const content = element("div", { class: "timeline-content" }, intro, this.#earlier, this.#list);
    this.#scroller = element(
      "div",
      { class: "scroller", role: "log", "aria-live": "polite", "aria-label": title, tabindex: 0 },
      content,
    );
    this.#toEnd = makeButton(
      { class: "to-end", hidden: true, "data-testid": "to-end", "aria-label": words.toNewest },
      icon("down"),
      this.#toEndCount,
    );
    this.#toEnd.addEventListener("click", () => this.scrollToEnd(true));
    this.element = element("div", { class: "timeline", "data-chat": chat.id }, this.#scroller, this.#toEnd);
    this.#scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    // Pictures, keyboards and the composer change heights after the fact: whoever was at the end stays there.
    const observer = new ResizeObserver(() => {
      if (this.#isAtEnd) this.scrollToEnd(false);
    });
    observer.observe(content);
    observer.observe(this.#scroller);
  }

  render(): void {
    const { shown: messages, shownOutgoing: outgoing } = this.chat;
    if (this.#topic !== this.chat.topic) this.#begin();
    const shown = messages.slice(-this.#shownMax);
    this.#earlier.hidden = shown.length === messages.length;
    this.intro.hidden = messages.length + outgoing.length > 0;
    const units = arrange(shown, outgoing, this.ownerId);
    const lastId = messages.at(-1)?.message_id ?? 0;
    const arrived = messages.filter(({ message_id }) => message_id > this.#lastSeenId);
    const wroteNow = units.some((unit) => unit.kind === "outgoing" && !this.#rows.has(unit.key));
    this.#reconcile(units);
    if (this.#isAtEnd || wroteNow || !this.#hasRendered) this.scrollToEnd(false);
    else this.#newBelow += arrived.filter(({ from }) => from?.id !== this.ownerId).length;
    this.#lastSeenId = Math.max(this.#lastSeenId, lastId);
    this.#hasRendered = true;
    this.#showToEnd();
  }

  /** Another topic is read from its end. */
  #begin(): void {
    this.#topic = this.chat.topic;
    this.#isAtEnd = true;
    this.#hasRendered = false;
    this.#newBelow = 0;
    this.#shownMax = SHOWN_STEP;
    this.#lastSeenId = 0;
    for (const row of this.#rows.values()) {
      row.release?.();
      row.element.remove();
    }
    this.#rows.clear();
  }

  scrollToEnd(isSmooth: boolean): void {
    this.#isAtEnd = true;
    this.#newBelow = 0;
    const behavior = isSmooth && !prefersStillness() ? "smooth" : "instant";
    // The introduction is read from its top, and is not part of the messages.
    const top = this.intro.hidden ? this.#scroller.scrollHeight : 0;
    this.#scroller.scrollTo({ top, behavior });
    this.#heights = this.#currentHeights();
    this.#showToEnd();
  }

  /** Brings a message into view and marks it for a moment; one that is not shown is left alone. */
  jumpTo(messageId: number): void {
    const messages = this.chat.shown;
    const place = messages.findIndex(({ message_id }) => message_id === messageId);
    if (place === -1) return;
    const fromEnd = messages.length - place;
    if (fromEnd > this.#shownMax) {
      this.#shownMax = fromEnd + 20;
      this.render();
    }
    const target = this.#list.querySelector(`[data-message-id="${messageId}"]`);
    if (target === null) return;
    this.#isAtEnd = false;
    target.scrollIntoView({ block: "center", behavior: prefersStillness() ? "instant" : "smooth" });
    const row = target.closest(".row") ?? target;
    row.classList.remove("is-marked");
    // Reading a size starts the animation anew when the same message is marked twice.
    row.getBoundingClientRect();
    row.classList.add("is-marked");
  }

  #reconcile(units: readonly Unit[]): void {
    const keys = new Set(units.map(({ key }) => key));
    for (const [key, row] of this.#rows) {
      if (keys.has(key)) continue;
      this.#rows.delete(key);
      row.release?.();
      if (key.startsWith("message-") || key.startsWith("album-")) leave(row.element);
      else row.element.remove();
    }
    const elements = units.map((unit) => {
      const known = this.#rows.get(unit.key);
      const row = known ?? this.#make(unit);
      row.update(unit);
      // An own message takes the place of the bubble that announced it: only others' enter with a movement.
      const enters = known === undefined && this.#hasRendered && !(unit.kind === "bubble" && unit.isOwn);
      if (enters && this.#isAtEnd) row.element.classList.add("is-new");
      this.#rows.set(unit.key, row);
      return row.element;
    });
    arrangeChildren(this.#list, elements, (child) => child.classList.contains("is-leaving"));
  }

  #make(unit: Unit): Row {
    if (unit.kind === "day") {
      const label = element("span", {});
      const day = element("div", { class: "day" }, label);
      return {
        element: day,
        update: () => label.replaceChildren(dayName(unit.seconds, Date.now(), this.actions.words)),
      };
    }
    if (unit.kind === "service") {
      const line = element("span", {}, serviceText(unit.message, this.actions.words));
      const made = element("div", { class: "service", "data-message-id": unit.message.message_id }, line);
      return { element: made, update: () => undefined };
    }
    if (unit.kind === "outgoing") {
      const row = new OutgoingRow(this.actions);
      return {
        element: row.element,
        update: (next) => next.kind === "outgoing" && row.update(next.outgoing, next.isFirst),
        release: () => row.release(),
      };
    }
    const row = new BubbleRow(this.actions, this.chat.type !== "private");
    return { element: row.element, update: (next) => next.kind === "bubble" && row.update(next) };
  }

  #showEarlier(): void {
    const before = this.#scroller.scrollHeight - this.#scroller.scrollTop;
    this.#isAtEnd = false;
    this.#shownMax += SHOWN_STEP;
    this.render();
    this.#scroller.scrollTop = this.#scroller.scrollHeight - before;
  }

  #scrolled(): void {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    // A hidden pane has no height and tells nothing about its reader.
    if (clientHeight === 0) return;
    const heights = this.#currentHeights();
    const isSettled = heights === this.#heights;
    this.#heights = heights;
    // The browser scrolls too when heights change, and tells of it before the observer: nobody has left for that.
    if (this.#isAtEnd && !isSettled) {
      this.scrollToEnd(false);
      return;
    }
    this.#isAtEnd = !this.intro.hidden || scrollHeight - scrollTop - clientHeight < END_PX;
    if (this.#isAtEnd) this.#newBelow = 0;
    this.#showToEnd();
  }

  #currentHeights(): string {
    const { scrollHeight, clientHeight } = this.#scroller;
    return `${scrollHeight} ${clientHeight}`;
  }

  #showToEnd(): void {
    const { words } = this.actions;
    this.#toEnd.hidden = this.#isAtEnd;
    this.#toEndCount.textContent = this.#newBelow > 0 ? counted(this.#newBelow, words.newBelow, words) : "";
  }
}

/** A deleted message folds up instead of vanishing, so that the eye can follow what moved. */
function leave(row: HTMLElement): void {
  if (prefersStillness() || row.offsetHeight === 0) {
    row.remove();
    return;
  }
  row.classList.add("is-leaving");
  const frames = [
    { height: `${row.offsetHeight}px`, opacity: 1, overflow: "hidden" },
    { height: "0px", opacity: 0, overflow: "hidden", marginBlock: "0px" },
  ];
  const animation = row.animate(frames, { duration: LEAVE_MS, easing: "ease-in-out" });
  animation.finished.then(
    () => row.remove(),
    () => row.remove(),
  );
}
