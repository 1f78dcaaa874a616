import type { TaskSummary } from "../services-protocol.js";
import { element, Slot } from "./dom.js";
import { sum } from "./sum.js";
import { pageWords } from "./words/words.js";

/** A service takes nothing for what it refused or failed to make. */
function isFree(state: TaskSummary["state"]): boolean {
  return state === "refused" || state === "failed" || state === "cancelled";
}

const WORDS = pageWords.services;

/** The latest tasks of all services. */
export class TaskList {
  readonly element: HTMLElement;
  readonly #slot = new Slot("task-list");

  constructor() {
    this.element = element(
      "section",
      { class: "latest-tasks" },
      element("h3", {}, WORDS.latest),
      element("p", { class: "no-tasks" }, WORDS.noneYet),
      this.#slot.element,
    );
  }

  show(tasks: readonly TaskSummary[]): void {
    this.#slot.show(tasks.length === 0 ? "" : JSON.stringify(tasks), () => tasks.map(taskRow));
  }
}

function taskRow(task: TaskSummary): HTMLElement {
  const { service, endpoint, state, position, progress, price } = task;
  const name = endpoint.replace(/^fal-ai\//, "");
  const words = position === undefined ? WORDS.taskStates[state] : WORDS.place(String(position));
  return element(
    "div",
    { class: "task", "data-state": state, "data-testid": "task" },
    element(
      "span",
      { class: "task-name", title: endpoint },
      element("span", { class: "task-service" }, service),
      name,
    ),
    element("span", { class: "task-price" }, !isFree(state) && sum(price)),
    element("span", { class: "task-state" }, words),
    progress !== undefined && bar(progress),
  );
}

function bar(progress: number): HTMLElement {
  const done = element("i", {});
  done.style.width = `${Math.round(progress * 100)}%`;
  return element("span", { class: "task-bar", "aria-hidden": "true" }, done);
}
