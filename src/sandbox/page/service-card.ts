import type { OrderedFault, ServiceSummary } from "../upstreams/control-protocol.js";
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

/** What a service does while it is down: new tasks and questions about tasks get errors. */
const DOWN_FAULTS = ["maintenance", "poll-502"] as const;
const DOWN_TIMES = 1_000_000;

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

  show({ account, waiting, running, spent }: ServiceSummary, orders: readonly OrderedFault[]): void {
    const isDown = orders.some(({ fault, service }) => fault === DOWN_FAULTS[0] && service === this.#name);
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
    for (const fault of DOWN_FAULTS) await changeServices("DELETE", "faults", { fault, service });
    await changeServices("POST", "account", { service, state: account });
    if (state !== "down") return;
    for (const fault of DOWN_FAULTS)
      await changeServices("POST", "faults", { fault, service, times: DOWN_TIMES });
  }
}
