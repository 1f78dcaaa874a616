import type { FaultHelp, StandInSummary } from "../upstreams/control-protocol.js";
import { fetchServices, RequestFailed } from "./api.js";
import { element, fill } from "./dom.js";
import { icon } from "./icons.js";
import { NextTask } from "./next-task.js";
import { ServiceCard } from "./service-card.js";
import { TaskList } from "./task-list.js";

const REFRESH_MS = 1000;
/** Here the panel stands beside the chats, so it begins open. */
const WIDE_PX = 1200;

/** The services that make the files: what they do now, and what they should do wrong. */
export class ServicesPanel {
  readonly #panel: HTMLElement;
  readonly #button: HTMLButtonElement;
  readonly #onToggle: () => void;
  readonly #cardList = element("div", { class: "service-cards" });
  readonly #cards = new Map<string, ServiceCard>();
  readonly #nextTask: NextTask;
  readonly #tasks = new TaskList();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(panel: HTMLElement, button: HTMLButtonElement, onToggle: () => void) {
    this.#panel = panel;
    this.#button = button;
    this.#onToggle = onToggle;
    this.#nextTask = new NextTask(() => this.refresh());
    const close = element("button", { type: "button", class: "tool", "aria-label": "Close", title: "Close" });
    close.append(icon("close"));
    close.addEventListener("click", () => {
      this.#show(false);
      button.focus();
    });
    fill(
      panel,
      element("div", { class: "services-head" }, element("h2", {}, "Services"), close),
      element("p", { class: "services-note" }, "Stand-ins on this machine. They take no real money."),
      this.#cardList,
      this.#nextTask.element,
      this.#tasks.element,
      promptHelp(),
    );
    button.append(icon("services"));
    button.hidden = false;
    button.title = "Services";
    button.setAttribute("aria-label", "Services");
    button.setAttribute("aria-controls", panel.id);
    button.addEventListener("click", () => this.#show(Boolean(panel.hidden)));
    document.addEventListener("visibilitychange", () => this.#schedule(0));
    this.#show(innerWidth >= WIDE_PX);
  }

  /** Reads the services and shows them. */
  async refresh(): Promise<void> {
    try {
      const summary = await fetchServices<StandInSummary>("summary");
      for (const service of summary.services) this.#cardOf(service.name).show(service);
      this.#nextTask.show(summary.orders);
      this.#tasks.show(summary.tasks);
    } catch (error) {
      // The page tells a lost connection itself.
      if (!(error instanceof RequestFailed)) throw error;
    } finally {
      this.#schedule(REFRESH_MS);
    }
  }

  #show(isOpen: boolean): void {
    this.#panel.hidden = !isOpen;
    this.#button.setAttribute("aria-expanded", String(isOpen));
    this.#button.setAttribute("aria-pressed", String(isOpen));
    this.#onToggle();
    this.#schedule(0);
  }

  #schedule(afterMs: number): void {
    clearTimeout(this.#timer);
    if (this.#panel.hidden || document.hidden) return;
    this.#timer = setTimeout(() => void this.refresh(), afterMs);
  }

  #cardOf(name: string): ServiceCard {
    const known = this.#cards.get(name);
    if (known) return known;
    const card = new ServiceCard(name, () => this.refresh());
    this.#cards.set(name, card);
    this.#cardList.append(card.element);
    return card;
  }
}

/** What can be written into a prompt; read when it is opened first. */
function promptHelp(): HTMLElement {
  const list = element("dl", { class: "fault-list" });
  const help = element(
    "details",
    { class: "prompt-help" },
    element("summary", {}, "Words for a description"),
    element("p", {}, "One order goes wrong when its description contains one of these:"),
    list,
  );
  help.addEventListener("toggle", () => {
    if (!help.open || list.childElementCount > 0) return;
    void fetchServices<FaultHelp>("faults").then(({ inPrompts }) => {
      for (const { name, about } of inPrompts)
        list.append(element("dt", {}, `[fault:${name}]`), element("dd", {}, about));
    });
  });
  return help;
}
