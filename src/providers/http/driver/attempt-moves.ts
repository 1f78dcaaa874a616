import { ATTEMPT_STATES, type AttemptState } from "../../../ports/attempt-states.js";

const MOVES: Readonly<Record<AttemptState, readonly AttemptState[]>> = {
  // One in a restored backup may have been sent since.
  planned: ["sending", "ambiguous", "cancelled"],
  // A look-up proves `cancelled` later.
  sending: ["planned", "accepted", "ready", "refused", "ambiguous", "cancelled"],
  accepted: ["ready", "refused", "failed", "ambiguous"],
  // Refused where its picture is black, and cancelled where its file is gone, and another attempt makes it again.
  ready: ["stored", "refused", "failed", "cancelled"],
  // Files that a crash or a full disk lost are fetched again, which may fail.
  stored: ["stored", "failed"],
  refused: [],
  failed: [],
  ambiguous: ["accepted", "cancelled"],
  cancelled: [],
};

export function canMove(from: AttemptState, to: AttemptState): boolean {
  return MOVES[from].includes(to);
}

/** Lists the states from which `to` is reached. */
export function statesBefore(to: AttemptState): readonly AttemptState[] {
  return ATTEMPT_STATES.filter((from) => canMove(from, to));
}

/** Tells whether the service was asked to make something, or may have been. */
export function wasSent(state: AttemptState): boolean {
  return state !== "planned" && state !== "cancelled";
}
