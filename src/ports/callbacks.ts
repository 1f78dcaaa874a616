/** Takes what services call when a task has ended: hints to ask them now, of which nothing is believed. */
export interface Callbacks {
  /** Takes a call with the token of its address. Returns at once and never throws, whoever has called. */
  take(service: string, token: string): void;
  /** Counts a call that the rate limit does not let pass. */
  drop(service: string): void;
}
