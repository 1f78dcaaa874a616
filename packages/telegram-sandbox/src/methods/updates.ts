import type { TelegramUpdate, TelegramWebhookInfo } from "@gramio/types";
import { badRequest, conflict } from "../errors.js";
import type { Params } from "../params.js";
import type { Call, Methods } from "../state.js";

const POLL_TIMEOUT_SEC_MAX = 50;
const UPDATES_MAX = 100;

/** Receiving updates. */
export const updateMethods: Methods = { getUpdates, setWebhook, deleteWebhook, getWebhookInfo };

function getUpdates({ params, state, signal }: Call): Promise<TelegramUpdate[]> {
  if (state.webhook.url !== "") {
    throw conflict(
      "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
  }
  readAllowed({ params, state });
  const limit = clamp(params.integer("limit") ?? UPDATES_MAX, 1, UPDATES_MAX);
  const timeoutSec = clamp(params.integer("timeout") ?? 0, 0, POLL_TIMEOUT_SEC_MAX);
  return state.updates.poll({ offset: params.integer("offset") ?? 0, limit, timeoutSec }, signal);
}

/** The list is kept until another one is given; an empty one means the default. */
function readAllowed({ params, state }: Pick<Call, "params" | "state">): void {
  const allowed = params.list("allowed_updates");
  if (allowed) state.updates.allow(allowed.filter((kind) => typeof kind === "string"));
}

function setWebhook({ params, state }: Call): true {
  const url = params.text("url") ?? "";
  if (url !== "" && !url.startsWith("https://")) {
    throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
  }
  checkSecret(params);
  readAllowed({ params, state });
  if (params.flag("drop_pending_updates")) state.updates.drop();
  state.webhook.url = url;
  if (url !== "") state.updates.endPoll(conflict("terminated by setWebhook request"));
  return true;
}

function checkSecret(params: Params): void {
  const secret = params.text("secret_token");
  if (secret === undefined || secret === "") return;
  if (!/^[A-Za-z0-9_-]{1,256}$/.test(secret)) throw badRequest("secret token contains unallowed characters");
}

function deleteWebhook({ params, state }: Call): true {
  state.webhook.url = "";
  if (params.flag("drop_pending_updates")) state.updates.drop();
  return true;
}

function getWebhookInfo({ state }: Call): TelegramWebhookInfo {
  return {
    url: state.webhook.url,
    has_custom_certificate: false,
    pending_update_count: state.updates.pendingCount,
  };
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
