import type { OrderedFault } from "../services-protocol.js";
import { changeServices } from "./api.js";
import { element } from "./dom.js";
import { pageWords } from "./words/words.js";

const { faults, faultsAbout, nextTask } = pageWords.services;
const FAULTS = ["policy-at-result", "failed-at-result", "slow-queue", "drop-after-accept"] as const;

/** What shall become of the next task, whichever service gets it. A second tap takes it back. */
export class NextTask {
  readonly element: HTMLElement;
  readonly #buttons = new Map<string, HTMLButtonElement>();

  /** @param onChange called after an order was given or taken back */
  constructor(onChange: () => Promise<void>) {
    const buttons = FAULTS.map((fault) => {
      const button = element(
        "button",
        { type: "button", class: "fault-button", title: faultsAbout[fault] },
        faults[fault],
      );
      button.addEventListener("click", () => void this.#toggle(fault).then(onChange));
      this.#buttons.set(fault, button);
      return button;
    });
    this.element = element(
      "section",
      { class: "next-task" },
      element("h3", {}, nextTask),
      element("div", { class: "fault-buttons" }, ...buttons),
    );
  }

  show(orders: readonly OrderedFault[]): void {
    for (const [fault, button] of this.#buttons) {
      const isOrdered = orders.some((order) => order.fault === fault && order.service === undefined);
      button.setAttribute("aria-pressed", String(isOrdered));
    }
  }

  #toggle(fault: string): Promise<void> {
    const isOrdered = this.#buttons.get(fault)?.getAttribute("aria-pressed") === "true";
    return changeServices(isOrdered ? "DELETE" : "POST", "faults", { fault });
  }
}
