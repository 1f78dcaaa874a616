import { isTaking, type ProviderState } from "../../ports/provider.js";

/** Why jobs are not given to a provider now. */
export interface Hold {
  detail: string;
  /** In ms since the epoch. */
  since: number;
  /** The jobs would wait in vain: nobody knows when somebody pays, or mends the key. */
  isHopeless: boolean;
}

/** Undefined while the provider takes jobs. */
export function holdOf(state: ProviderState | undefined): Hold | undefined {
  if (!state || state.kind === "up" || isTaking(state)) return undefined;
  const { kind, since } = state;
  if (state.kind !== "paused") return { detail: kind, since, isHopeless: false };
  // A lock may end by itself: the service is asked, and a guard may only dislike one request.
  return { detail: `paused: ${state.reason}`, since, isHopeless: state.reason !== "locked" };
}
