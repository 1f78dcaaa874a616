import type { HttpAnswer } from "../../platform/http-exchange.js";
import type {
  PollOutcome,
  SubmitOutcome,
  UpstreamAdapter,
  UpstreamReference,
} from "../../providers/adapter.js";

export interface ReadAnswer {
  answer: HttpAnswer;
  outcome: SubmitOutcome | PollOutcome;
  /** The reference of the polled task; absent for the submit. */
  reference?: UpstreamReference;
}

/** Wraps the adapter, and tells of each answer that it reads. */
export function watchAdapter(adapter: UpstreamAdapter, onRead: (read: ReadAnswer) => void): UpstreamAdapter {
  return {
    ...adapter,
    readSubmit(answer, operation) {
      const outcome = adapter.readSubmit(answer, operation);
      onRead({ answer, outcome });
      return outcome;
    },
    readPoll(answer, reference) {
      const outcome = adapter.readPoll(answer, reference);
      onRead({ answer, outcome, reference });
      return outcome;
    },
  };
}
