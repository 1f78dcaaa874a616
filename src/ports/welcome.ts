import type { Kopecks } from "../contract/money.js";

export type WelcomeOutcome =
  | { kind: "credited"; kopecks: Kopecks; balanceKopecks: Kopecks }
  /** Nothing waits for the person: they have it already, or it was never meant for them. */
  | { kind: "none" };

/** Welcome credits that wait for a tap, since they were not given at first contact. */
export interface WelcomeCredits {
  /** Returns the sum that waits for a person. */
  offeredTo(userId: number): Kopecks | undefined;
  /** Credits it, once. */
  take(userId: number): Promise<WelcomeOutcome>;
}
