export interface SubmissionTerms {
  orderId: string;
  /**
   * Continues a submission that a restart interrupted: the time, in ms since the epoch, that `onSending` was
   * given. An interrupted submission without one must not be submitted again.
   */
  repeatableUntil?: number;
  /**
   * Awaited before the first POST, and not called when a submission is continued. Its rejection prevents the POST.
   * @param repeatableUntil undefined where the service does not honour `Idempotency-Key`
   */
  onSending?: (repeatableUntil: number | undefined) => Promise<void> | void;
  /** Ends the POST and the waiting. */
  signal?: AbortSignal;
}
