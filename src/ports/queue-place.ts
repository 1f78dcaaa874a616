/** A job waits at the service that makes it. */
export interface QueuePlace {
  /** As the service counts it, where it tells. */
  position?: number | undefined;
}
