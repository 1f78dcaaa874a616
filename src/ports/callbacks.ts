/** Takes what services call when a task has ended: hints to ask them now, of which nothing is believed. */
export interface Callbacks {
  /** @param token of the address that was called. Returns at once and never throws, whoever has called. */
  take(service: string, token: string): void;
  /** Counts a call that the limit of rates does not let pass. */
  drop(service: string): void;
}
