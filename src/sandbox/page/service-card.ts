import type { BotView, ServiceSummary } from "../upstreams/control-protocol.js";
import { changeServices } from "./api.js";
import { element } from "./dom.js";
import { sum } from "./sum.js";

const STATES = {
  good: "Works",
  down: "Is down",
  "no-credit": "Is out of credit",
  "wrong-key": "Refuses the key",
} as const;
const REASONS: Readonly<Record<string, string>> = {
  no_credit: "out of credit",
  locked: "locked",
  key_refused: "key refused",
};
type State = keyof typeof STATES;

/** One service: its state, which can be chosen, its tasks and its money. */
export class ServiceCard {
  readonly element: HTMLElement;
  readonly #name: string;
  readonly #spent = element("span", { class: "service-spent", title: "Cost of all accepted tasks" });
  readonly #load = element("div", { class: "service-load" });
  readonly #choice: HTMLSelectElement;
  readonly #bot = element("div", { class: "service-bot", "data-testid": "bot-view" });
  readonly #resume = element("button", { type: "button", class: "service-resume" }, "Resume");
  readonly #botLine = element("div", { class: "service-line" }, this.#bot, this.#resume);

  /** @param onChange called after a new state was set */
  constructor(name: string, onChange: () => Promise<void>) {
    this.#name = name;
    const options = Object.entries(STATES).map(([state, words]) =>
      element("option", { value: state }, words),
    );
    this.#choice = element("select", { "aria-label": `State of ${name}` }, ...options);
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
    if (document.activeElement !== this.#choice) this.#choice.value = state;
    const load = [waiting > 0 && `${waiting} waiting`, running > 0 && `${running} running`].filter(Boolean);
    this.#load.textContent = load.length > 0 ? load.join(", ") : "no tasks";
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

/** What the bot does about the service. */
function wordsOf({ state, reason, nextTryInMs }: BotView): string {
  const why = reason === undefined ? "" : `: ${REASONS[reason] ?? reason}`;
  const next = nextTryInMs === undefined ? "" : `, next try in ${waitOf(nextTryInMs)}`;
  if (state === "unreachable") return "The bot finds it unreachable and keeps looking";
  return `${state === "paused" ? "Paused" : "Throttled"} by the bot${why}${next}`;
}

/** `40 s`, `9 min` */
function waitOf(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
