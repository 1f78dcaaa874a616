import type { OrderedFault } from "../upstreams/control-protocol.js";
import { changeServices } from "./api.js";
import { element } from "./dom.js";

const CHOICES = [
  { fault: "policy-at-result", label: "Refuse it", about: "The service's rules forbid the content" },
  { fault: "failed-at-result", label: "Let it fail", about: "The service fails to make it" },
  { fault: "slow-queue", label: "Make it wait", about: "The queue is twenty times as long" },
  {
    fault: "drop-after-accept",
    label: "Lose the answer",
    about: "The task is accepted, and the connection is cut before the answer",
  },
] as const;

/** What shall become of the next task, whichever service gets it. A second tap takes it back. */
export class NextTask {
  readonly element: HTMLElement;
  readonly #buttons = new Map<string, HTMLButtonElement>();

  /** @param onChange called after an order was given or taken back */
  constructor(onChange: () => Promise<void>) {
    const buttons = CHOICES.map(({ fault, label, about }) => {
      const button = element("button", { type: "button", class: "fault-button", title: about }, label);
      button.addEventListener("click", () => void this.#toggle(fault).then(onChange));
      this.#buttons.set(fault, button);
      return button;
    });
    this.element = element(
      "section",
      { class: "next-task" },
      element("h3", {}, "The next task"),
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
