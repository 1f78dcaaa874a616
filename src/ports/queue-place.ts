/** A job waits at the service that makes it. */
export interface QueuePlace {
  /** As the service counts it, where it tells. */
  position?: number | undefined;
  /** The service cannot be asked at the moment: it does not answer, or takes no tasks. */
  isAway?: boolean;
}
