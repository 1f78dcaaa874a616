import type { Api } from "grammy";
import type { Logger } from "../../platform/logger.js";
import type { Admins } from "../../ports/admins.js";
import type { OperatorNotice } from "../../ports/operator-notices.js";
import type { Language } from "../texts/texts.js";

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

  deliver(notice: OperatorNotice): void {
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

/** Writes a notice as plain text. A list has a line for each of its items, in the words of `notice-<kind>-<field>`. */
export function operatorNoticeText({ kind, ...fields }: OperatorNotice, { t }: Language): string {
  const written = Object.entries<NoticeField>(fields).map(([name, value]) => [
    name,
    typeof value === "object"
      ? value.map((item) => t(`notice-${kind}-${name}`, { ...item })).join("\n")
      : value,
  ]);
  return t(`notice-${kind}`, Object.fromEntries(written));
}

type NoticeField = string | number | readonly object[];
