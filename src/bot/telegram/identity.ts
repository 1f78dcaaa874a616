import { type Api, GrammyError } from "grammy";
import type { UserFromGetMe } from "grammy/types";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { retry } from "../../platform/retry.js";
import { StartError } from "../../platform/start-error.js";
import { pauseBeforeRetry, telegramFailure } from "./failure.js";
import { OutageLog } from "./outage-log.js";

const BACK_OFF = { firstMs: 300, maxMs: 15_000 };

export class TokenRefusedError extends StartError {
  override readonly name = "TokenRefusedError";
}

/** Asks Telegram for the bot's identity. Retries all faults but TokenRefusedError until `signal` aborts. */
export function whoAmI(api: Api, clock: Clock, logger: Logger, signal: AbortSignal): Promise<UserFromGetMe> {
  const outage = new OutageLog(clock, logger);
  const options = {
    clock,
    backOff: BACK_OFF,
    signal,
    until: isTokenRefused,
    onFailure: (error: unknown) => outage.failed(error),
    pauseFor: (error: unknown, attempt: number) =>
      pauseBeforeRetry(telegramFailure(error), attempt, BACK_OFF),
  };
  const asked = retry(options, () => api.getMe()).catch((error: unknown) => {
    throw isTokenRefused(error) ? new TokenRefusedError("Telegram refuses BOT_TOKEN") : error;
  });
  return asked.then((me) => {
    outage.answered();
    return me;
  });
}

function isTokenRefused(error: unknown): boolean {
  return error instanceof GrammyError && (error.error_code === 401 || error.error_code === 404);
}
