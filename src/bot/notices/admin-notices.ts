import type { Api } from "grammy";
import type { Logger } from "../../platform/logger.js";
import type { Admins } from "../../ports/admins.js";
import type { Language } from "../texts/texts.js";
import { type EventNotice, operatorNoticeText } from "./notice-text.js";

interface AdminNoticesParts {
  /** Retries failed calls. */
  api: Pick<Api, "sendMessage">;
  adminIds: Admins;
  languageOf: (userId: number) => Language;
  logger: Logger;
}

/** Sends notices to each admin, in the own language. What cannot be sent is in the log. */
export class AdminNotices {
  readonly #parts: AdminNoticesParts;

  constructor(parts: AdminNoticesParts) {
    this.#parts = parts;
  }

  deliver(notice: EventNotice): void {
    const { api, adminIds, languageOf, logger } = this.#parts;
    logger.info({ notice }, "operators told");
    for (const adminId of adminIds)
      api
        .sendMessage(adminId, operatorNoticeText(notice, languageOf(adminId)))
        .catch((error: unknown) =>
          logger.warn({ admin_id: adminId, notice: notice.kind, err: error }, "admin not told"),
        );
  }
}
