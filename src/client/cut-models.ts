import type { Logger } from "../platform/logger.js";
import type { CutList } from "../ports/service.js";

/** Knows whether the service's list of models had to be cut, and tells it once for each length. */
export class CutModels {
  readonly #logger: Logger;
  #known: CutList | undefined;
  #tell: (list: CutList) => void = () => {};

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  note(list: CutList): void {
    if (this.#known?.all === list.all) return;
    this.#known = list;
    this.#logger.error({ models: list.all, shown: list.shown }, "too many models, only the first are shown");
    this.#tell(list);
  }

  onCut(tell: (list: CutList) => void): void {
    this.#tell = tell;
    if (this.#known) tell(this.#known);
  }
}
