import type { Api } from "grammy";
import type { Logger } from "../../../platform/logger.js";
import type { Connections } from "../../../ports/connections.js";
import { telegramFailure } from "../../telegram/failure.js";
import type { Language } from "../../texts/texts.js";
import { refusedKeyText } from "./connect-text.js";

interface TellParts {
  api: Api;
  connections: Connections;
  languageOf: (userId: number) => Language;
  logger: Logger;
}

/** Tells people whose key stops working. One who cannot be written to is told by their next command. */
export function tellRefusedKeys({ api, connections, languageOf, logger }: TellParts): void {
  connections.onKeyRefused(async (key) => {
    const { userId } = key;
    try {
      await api.sendMessage(userId, refusedKeyText(key, languageOf(userId)));
    } catch (error) {
      const { kind } = telegramFailure(error);
      if (kind === "again" || kind === "wait") throw error;
      logger.info({ user_id: userId, err: error }, "person not told of a refused key");
    }
  });
}
