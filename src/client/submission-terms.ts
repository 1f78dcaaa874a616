import type { Integer } from "../platform/integer.js";
export interface RemoteSubmissionTerms {
  orderId: string;
  /**
   * Continues an interrupted submission: the value, in ms since the epoch, that `onSending` got. Without it an
   * interrupted submission must not be submitted again.
   */
  repeatableUntil?: number;
  /**
   * Awaited before the first POST, unless a submission is continued. Its rejection prevents the POST.
   * @param repeatableUntil undefined if the service does not honour `Idempotency-Key`
   */
  onSending?: (repeatableUntil: Integer | undefined) => Promise<void> | void;
  /** Awaited before each repeat. An UncertainOutcome ends the repeats; any other error postpones this one. */
  beforeRepeat?: () => Promise<void>;
  signal?: AbortSignal;
}
