import { type ProviderState, takesJobs } from "../../../ports/provider.js";
import type { QueuePlace } from "../../../ports/queue-place.js";

/** Why a job is not sent now, and what becomes of it. */
export interface Hold {
  detail: string;
  /** Nothing of the job is wrong: at its deadline another provider may take it. */
  mayOtherTake: boolean;
  /** The job would wait in vain: nobody knows when somebody pays, or mends the key. */
  isHopeless: boolean;
  /** Jobs wait for the service up to their deadline from here together, not one after the other. */
  since?: number;
  /** What the person reads meanwhile. */
  place: QueuePlace;
}

/** Undefined while the service may be sent a task. */
export function holdOf(state: ProviderState): Hold | undefined {
  if (takesJobs({ state }) || state.kind === "up") return undefined;
  const place = { isAway: true };
  if (state.kind !== "paused")
    return { detail: state.kind, mayOtherTake: true, isHopeless: false, since: state.since, place };
  const { reason } = state;
  return { detail: `paused: ${reason}`, mayOtherTake: false, isHopeless: reason !== "locked", place };
}
