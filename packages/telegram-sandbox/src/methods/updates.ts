import type { TelegramUpdate } from "@gramio/types";
import type { Call, Methods } from "../state.js";

const POLL_TIMEOUT_SEC_MAX = 50;
const UPDATES_MAX = 100;

/** Receiving updates, by polling alone: bots delete a webhook before that. */
export const updateMethods: Methods = { getUpdates, deleteWebhook: () => true };

function getUpdates({ params, state, signal }: Call): Promise<TelegramUpdate[]> {
  // The list is kept until another one is given; an empty one means the default.
  const allowed = params.list("allowed_updates");
  if (allowed) state.updates.allow(allowed.filter((kind) => typeof kind === "string"));
  const limit = clamp(params.integer("limit") ?? UPDATES_MAX, 1, UPDATES_MAX);
  const timeoutSec = clamp(params.integer("timeout") ?? 0, 0, POLL_TIMEOUT_SEC_MAX);
  return state.updates.poll({ offset: params.integer("offset") ?? 0, limit, timeoutSec }, signal);
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
