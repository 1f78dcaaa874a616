import { ContractError } from "../../contract/errors.js";
import { type TelegramFailure, telegramFailure } from "../telegram/failure.js";

/** True where a later try in the same chat would fail too. */
export function isForGood({ kind }: TelegramFailure): boolean {
  return kind === "blocked" || kind === "no_chat" || kind === "refused";
}

/** A file that is kept no more is gone for good; anything else that is not Telegram's may work later. */
export function deliveryFailure(error: unknown): TelegramFailure {
  if (error instanceof ContractError && error.code === "job_not_found") {
    return { kind: "refused", description: "the files are kept no more" };
  }
  try {
    return telegramFailure(error);
  } catch {
    return { kind: "again" };
  }
}
