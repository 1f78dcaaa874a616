import type { Cost, Operation } from "../../../mapping/operation.js";
import type { Integer } from "../../../platform/integer.js";
import type { AttemptState } from "../../../ports/attempt-states.js";
import type { RefusalKind, UpstreamReference } from "../adapter.js";

/** One submission of a job to a service. Times in ms since the epoch. */
export interface Attempt {
  id: number;
  /** Id chosen before the POST, for services that take one of ours. */
  uuid: string;
  jobId: number;
  no: number;
  operation: Operation;
  state: AttemptState;
  reference: UpstreamReference | undefined;
  /** True where the job ended before. What still comes is kept and not delivered. */
  isLate: boolean;
  plannedAt: Integer;
  submittedAt: Integer | undefined;
  acceptedAt: Integer | undefined;
  /** Time until which a planned attempt waits, and an accepted one is awaited. */
  deadlineAt: Integer;
  /** Time at which the service is asked next. */
  dueAt: Integer | undefined;
  /** Answers in a row that the task is unknown, and when the first one came. */
  unknownCount: number;
  unknownSince: Integer | undefined;
  cost: Cost | undefined;
  refusal: RefusalKind | undefined;
  detail: string | undefined;
  isFlagged: boolean;
  hasCallback: boolean;
}
