import type { ServiceSummary } from "../upstreams/control-protocol.js";
import { changeServices } from "./api.js";
import { element } from "./dom.js";
import { sum } from "./sum.js";

const STATES = {
  good: "Works",
  down: "Is down",
  "no-credit": "Is out of credit",
  "wrong-key": "Refuses the key",
} as const;
type State = keyof typeof STATES;

/** One service: its state, which can be chosen, its tasks and its money. */
export class ServiceCard {
  readonly element: HTMLElement;
  readonly #name: string;
  readonly #spent = element("span", { class: "service-spent", title: "Cost of all accepted tasks" });
  readonly #load = element("div", { class: "service-load" });
  readonly #choice: HTMLSelectElement;

  /** @param onChange called after a new state was set */
  constructor(name: string, onChange: () => Promise<void>) {
    this.#name = name;
    const options = Object.entries(STATES).map(([state, words]) =>
      element("option", { value: state }, words),
    );
    this.#choice = element("select", { "aria-label": `State of ${name}` }, ...options);
    this.#choice.addEventListener("change", () => void this.#set(this.#choice.value as State).then(onChange));
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
    );
  }

  show({ account, isDown, waiting, running, spent }: ServiceSummary): void {
    const state = isDown ? "down" : account;
    this.element.dataset.state = state;
    if (document.activeElement !== this.#choice) this.#choice.value = state;
    const load = [waiting > 0 && `${waiting} waiting`, running > 0 && `${running} running`].filter(Boolean);
    this.#load.textContent = load.length > 0 ? load.join(", ") : "no tasks";
    this.#spent.textContent = sum(spent);
  }

  async #set(state: State): Promise<void> {
    const service = this.#name;
    const account = state === "down" ? "good" : state;
    await changeServices("POST", "account", { service, state: account });
    await changeServices("POST", "down", { service, isDown: state === "down" });
  }
}
