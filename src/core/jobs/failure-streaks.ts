import type { Failure } from "../../contract/job.js";
import type { OperatorNotices } from "../../ports/operator-notices.js";

export const STREAK_LENGTH = 3;
/** Failures for which a request is to blame: they say nothing of the model. */
const OF_REQUESTS: ReadonlySet<Failure> = new Set(["refused", "reference"]);

type EndedJob = { model_key: string; model_title: string };

/** Tells operators of a model whose jobs fail one after the other, once until one of them succeeds. */
export class FailureStreaks {
  readonly #notices: OperatorNotices;
  readonly #counts = new Map<string, number>();

  constructor(notices: OperatorNotices) {
    this.#notices = notices;
  }

  /** @param failure undefined for a job that is done */
  note({ model_key, model_title: model }: EndedJob, failure: Failure | undefined): void {
    if (failure === undefined) this.#counts.delete(model_key);
    if (failure === undefined || OF_REQUESTS.has(failure)) return;
    const count = (this.#counts.get(model_key) ?? 0) + 1;
    this.#counts.set(model_key, count);
    if (count === STREAK_LENGTH) this.#notices.tell({ kind: "failures", model, count });
  }
}
