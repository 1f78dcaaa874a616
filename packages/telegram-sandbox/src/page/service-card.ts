import type { BotView, ServiceSummary } from "../services-protocol.js";
import { changeServices } from "./api.js";
import { element, makeButton } from "./dom.js";
import { sum } from "./sum.js";
import { counted, pageWords } from "./words/words.js";

const WORDS = pageWords.services;
type State = keyof typeof WORDS.states;

/** One service: its state, which can be chosen, its tasks and its money. */
export class ServiceCard {
  readonly element: HTMLElement;
  readonly #name: string;
  readonly #spent = element("span", { class: "service-spent", title: WORDS.spent });
  readonly #load = element("div", { class: "service-load" });
  readonly #choice: HTMLSelectElement;
  readonly #bot = element("div", { class: "service-bot", "data-testid": "bot-view" });
  readonly #resume = makeButton({ class: "service-resume" }, WORDS.resume);
  readonly #botLine = element("div", { class: "service-line" }, this.#bot, this.#resume);

  /** @param onChange called after a new state was set */
  constructor(name: string, onChange: () => Promise<void>) {
    this.#name = name;
    const options = Object.entries(WORDS.states).map(([state, words]) =>
      element("option", { value: state }, words),
    );
    this.#choice = element("select", { "aria-label": WORDS.stateOf(name) }, ...options);
    this.#choice.addEventListener("change", () => void this.#set(this.#choice.value as State).then(onChange));
    this.#botLine.hidden = true;
    this.#resume.addEventListener("click", () => {
      void changeServices("POST", "resume", { service: name }).then(onChange);
    });
    this.element = element(
      "div",
      { class: "service-card", "data-service": name },
      element(
        "div",
        { class: "service-line" },
        element("span", { class: "service-dot", "aria-hidden": "true" }),
        element("b", {}, name),
        this.#choice,
      ),
      element("div", { class: "service-line" }, this.#load, this.#spent),
      this.#botLine,
    );
  }

  show({ account, isDown, waiting, running, spent, bot }: ServiceSummary): void {
    const state = isDown ? "down" : account;
    this.element.dataset.state = state;
    this.element.dataset.bot = bot?.state ?? "up";
    if (document.activeElement !== this.#choice) this.#choice.value = state;
    const load = [
      waiting > 0 && counted(waiting, WORDS.waiting, pageWords),
      running > 0 && counted(running, WORDS.running, pageWords),
    ].filter(Boolean);
    this.#load.textContent = load.length > 0 ? load.join(", ") : WORDS.noTasks;
    this.#spent.textContent = sum(spent);
    this.#botLine.hidden = bot === undefined || bot.state === "up";
    this.#resume.hidden = bot?.state === "unreachable";
    if (bot) this.#bot.textContent = wordsOf(bot);
  }

  async #set(state: State): Promise<void> {
    const service = this.#name;
    const account = state === "down" ? "good" : state;
    await changeServices("POST", "account", { service, state: account });
    await changeServices("POST", "down", { service, isDown: state === "down" });
  }
}

/** What the bot does about the service, in plain words. */
function wordsOf({ state, reason, nextTryInMs }: BotView): string {
  if (state === "unreachable") return `${WORDS.unreachable}. ${WORDS.ordersElsewhere}`;
  const reasons: Readonly<Record<string, string>> = WORDS.reasons;
  const why = reason === undefined ? "" : `: ${reasons[reason] ?? reason}`;
  const next = nextTryInMs === undefined ? "" : `, ${WORDS.nextTry(waitOf(nextTryInMs))}`;
  return `${state === "paused" ? WORDS.paused : WORDS.throttled}${why}${next}. ${WORDS.ordersElsewhere}`;
}

/** `40 s`, `9 min` */
function waitOf(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 120 ? WORDS.seconds(String(seconds)) : WORDS.minutes(String(Math.ceil(seconds / 60)));
}
