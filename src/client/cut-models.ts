import type { Logger } from "../platform/logger.js";
import type { OperatorNotices } from "../ports/operator-notices.js";

/** Tells of a list of models that had to be cut, once for each length. */
export class CutModels {
  readonly #logger: Logger;
  readonly #notices: OperatorNotices;
  #known: number | undefined;

  constructor(logger: Logger, notices: OperatorNotices) {
    this.#logger = logger;
    this.#notices = notices;
  }

  note({ shown, all }: { shown: number; all: number }): void {
    if (this.#known === all) return;
    this.#known = all;
    this.#logger.error({ models: all, shown }, "too many models, only the first are shown");
    this.#notices.tell({ kind: "models_cut", shown, all }, { topic: "models", content: `${all}` });
  }
}
