import { HttpError } from "grammy";
import { ContractError } from "../../../contract/errors.js";
import { backOffMs } from "../../../platform/retry.js";
import { type TelegramFailure, telegramFailure } from "../../telegram/failure.js";
import { UnreadableFileError } from "../../telegram/upload.js";
import { UploadError } from "./upload-failures.js";

/** Pauses between tries. The maximum limits the delay of a paid result after an outage ends. */
export const BACK_OFF = { firstMs: 1000, maxMs: 60_000 };
/** Pauses between uploads, which are longer: the few attempts must outlast most faults of this kind. */
const UPLOAD_BACK_OFF = { firstMs: 1000, maxMs: 600_000 };

/** `upload_failed`: Telegram is reachable but does not take the files; `times` as in `UploadError`. */
export type DeliveryFailure = TelegramFailure | { kind: "upload_failed"; times: number };

export function isForGood({ kind }: DeliveryFailure): boolean {
  return kind === "blocked" || kind === "no_chat" || kind === "refused";
}

/** Classifies a deleted file as `refused`, and any error that is not Telegram's as `again`. */
export function deliveryFailure(error: unknown): DeliveryFailure {
  if (error instanceof ContractError && error.code === "job_not_found") {
    return { kind: "refused", description: "the files are no longer kept" };
  }
  if (error instanceof UploadError) return { kind: "upload_failed", times: error.times };
  try {
    return telegramFailure(error);
  } catch {
    return { kind: "again" };
  }
}

/** Tells whether a call did not reach Telegram. The poll of updates logs such an outage. */
export function isOutage(error: unknown): boolean {
  return error instanceof HttpError && !(error.error instanceof UnreadableFileError);
}

/** Plans the next attempt. `attempts`: failed ones, 1 or more. */
export function retryOf(
  failure: Extract<DeliveryFailure, { kind: "wait" | "again" | "upload_failed" }>,
  attempts: number,
): { pauseMs: number; outcome: string } {
  switch (failure.kind) {
    case "wait":
      return { pauseMs: failure.retryAfterMs, outcome: "Telegram asked to wait" };
    case "again":
      return { pauseMs: backOffMs(attempts, BACK_OFF), outcome: "fault on the way" };
    case "upload_failed": {
      const pauseMs = backOffMs(2 * failure.times - 1, UPLOAD_BACK_OFF);
      return { pauseMs, outcome: "Telegram does not take the upload" };
    }
  }
}
