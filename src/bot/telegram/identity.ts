import { type Api, GrammyError } from "grammy";
import type { UserFromGetMe } from "grammy/types";
import { type Clock, sleep } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { backOffMs } from "../../platform/retry.js";
import { pauseBeforeRetry, telegramFailure } from "./failure.js";

const BACK_OFF = { firstMs: 300, maxMs: 15_000 };

/** Telegram does not know the token. */
export class TokenRefused extends Error {
  override readonly name = "TokenRefused";
}

/**
 * Asks Telegram who the bot is, waiting out every fault but a refused token.
 * @throws TokenRefused, or the fault under way when `signal` ends the waiting
 */
export async function whoAmI(
  api: Api,
  clock: Clock,
  logger: Logger,
  signal: AbortSignal,
): Promise<UserFromGetMe> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await api.getMe();
    } catch (error) {
      if (error instanceof GrammyError && (error.error_code === 401 || error.error_code === 404)) {
        throw new TokenRefused("Telegram refuses BOT_TOKEN");
      }
      if (signal.aborted) throw error;
      logger.warn({ err: error, attempt }, "Telegram not reached, trying again");
      const pauseMs = pauseBeforeRetry(telegramFailure(error), attempt, BACK_OFF);
      await sleep(clock, pauseMs ?? backOffMs(attempt, BACK_OFF), signal);
    }
  }
}
