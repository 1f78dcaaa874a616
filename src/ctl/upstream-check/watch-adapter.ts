import type { HttpAnswer } from "../../platform/http-exchange.js";
import type {
  PollOutcome,
  SubmitOutcome,
  UpstreamAdapter,
  UpstreamReference,
} from "../../providers/http/adapter.js";

/** An answer that the adapter read. */
export interface ReadAnswer {
  answer: HttpAnswer;
  outcome: SubmitOutcome | PollOutcome;
  /** Of the task that was looked at; absent for the submit. */
  reference?: UpstreamReference;
}

/** The same adapter, which tells of each answer that it reads. */
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
