/** A job waits at the service that makes it. */
export interface QueuePlace {
  /** Position as the service counts it, where it tells. */
  position?: number | undefined;
  /** True while the service cannot be asked: it does not answer, or takes no tasks. */
  isAway?: boolean;
}
