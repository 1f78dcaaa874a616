import type { Integer } from "../../../platform/integer.js";
import type { PauseReason } from "../../../ports/provider.js";

/** Why a service takes no tasks. One that is up has no row. Times in ms since the epoch. */
export interface StateRow {
  provider: string;
  state: "paused" | "throttled" | "unreachable";
  reason: PauseReason | null;
  since_at: Integer;
  next_try_at: Integer | null;
  /** Balance of the account there, in its own unit, when the service refused a task for credit. */
  balance: number | null;
  /** The time at which another process asked to try it again; null until one does. */
  resume_asked_at: Integer | null;
}

declare module "../../../database/schema.js" {
  interface Schema {
    upstream_state: StateRow;
  }
}
