import type { FaultHelp, OrderedFault, StandInSummary } from "../services-protocol.js";
import { changeServices, fetchServices, RequestFailed } from "./api.js";
import { element, fill, makeButton } from "./dom.js";
import { icon } from "./icons.js";
import { copyText } from "./links.js";
import { ServiceCard } from "./service-card.js";
import { TaskList } from "./task-list.js";
import { pageWords } from "./words/words.js";

const WORDS = pageWords.services;
const COPIED_MS = 1_500;

/** What can be written into a description to make one order go wrong; the list is read when it is opened first. */
function promptMarks(): HTMLElement {
  const list = element("ul", { class: "fault-list" });
  const details = element("details", {}, element("summary", {}, WORDS.marksList), list);
  details.addEventListener("toggle", () => {
    if (!details.open || list.childElementCount > 0) return;
    void fetchServices<FaultHelp>("faults").then(({ inPrompts }) =>
      list.replaceChildren(...inPrompts.map(line)),
    );
  });
  return element(
    "section",
    { class: "prompt-help" },
    element("h3", {}, WORDS.marks),
    element("p", {}, WORDS.marksAbout),
    details,
  );
}

/** What happens stands first; the mark itself is for the clipboard. */
function line({ name, about }: FaultHelp["inPrompts"][number]): HTMLElement {
  const mark = `[fault:${name}]`;
  const copy = makeButton({ class: "copy-mark", title: mark }, WORDS.copyMark);
  copy.addEventListener("click", async () => {
    if (!(await copyText(mark))) return;
    copy.textContent = WORDS.markCopied;
    setTimeout(() => copy.replaceChildren(WORDS.copyMark), COPIED_MS);
  });
  return element("li", {}, element("span", {}, about), copy);
}

const { faults, faultsAbout, nextTask } = pageWords.services;
const FAULTS = ["policy-at-result", "failed-at-result", "slow-queue", "drop-after-accept"] as const;

/** What shall become of the next task, whichever service gets it. A second tap takes it back. */
class NextTask {
  readonly element: HTMLElement;
  readonly #buttons = new Map<string, HTMLButtonElement>();

  /** @param onChange called after an order was given or taken back */
  constructor(onChange: () => Promise<void>) {
    const buttons = FAULTS.map((fault) => {
      const onclick = () => this.#toggle(fault).then(onChange);
      const button = makeButton({ class: "fault-button", title: faultsAbout[fault], onclick }, faults[fault]);
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

const REFRESH_MS = 1000;
/** Here the panel stands beside the chats, so it begins open. */
const WIDE_PX = 1200;

/** The services that make the files: what they do now, and what they should do wrong. */
export class ServicesPanel {
  readonly #cardList = element("div", { class: "service-cards" });
  readonly #cards = new Map<string, ServiceCard>();
  readonly #nextTask: NextTask;
  readonly #tasks = new TaskList();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly panel: HTMLElement,
    private readonly button: HTMLButtonElement,
    private readonly onToggle: (isOpen: boolean) => void,
  ) {
    this.#nextTask = new NextTask(() => this.refresh());
    const hide = () => {
      this.#show(false);
      button.focus();
    };
    const close = makeButton(
      { class: "tool", "aria-label": pageWords.close, title: pageWords.close, onclick: hide },
      icon("close"),
    );
    fill(
      panel,
      element("div", { class: "services-head" }, element("h2", {}, pageWords.services.title), close),
      element("p", { class: "services-note" }, pageWords.services.note),
      this.#cardList,
      this.#nextTask.element,
      this.#tasks.element,
      promptMarks(),
    );
    button.append(icon("services"));
    button.hidden = false;
    button.title = pageWords.services.title;
    button.setAttribute("aria-label", pageWords.services.title);
    panel.setAttribute("aria-label", pageWords.services.title);
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
    this.panel.hidden = !isOpen;
    this.button.setAttribute("aria-expanded", String(isOpen));
    this.button.setAttribute("aria-pressed", String(isOpen));
    this.onToggle(isOpen);
    this.#schedule(0);
  }

  #schedule(afterMs: number): void {
    clearTimeout(this.#timer);
    if (this.panel.hidden || document.hidden) return;
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
