import { AdminNotices } from "../../src/bot/notices/notices.js";
import type { Database } from "../../src/database/database.js";
import type { Clock } from "../../src/platform/clock.js";
import type { OperatorNotice, OperatorNotices } from "../../src/ports/operator-notices.js";
import { texts } from "./drafts.js";
import { silentLogger } from "./log.js";

/** Notices whose rows are real and whom nobody is sent: `told` gets what an admin would be told. */
export function recordedNotices(database: Database, clock: Clock, told: OperatorNotice[]): OperatorNotices {
  const admins = new AdminNotices({
    api: { sendMessage: () => Promise.reject(new Error("there is no bot")) },
    database,
    adminIds: { has: () => false, [Symbol.iterator]: () => [].values() },
    people: { find: () => undefined },
    languageOf: () => texts.in("en"),
    clock,
    logger: silentLogger(),
  });
  return {
    tell: (notice, once) =>
      void database.write("notice", (tx) => {
        if (admins.record(tx, notice, clock.now(), once)) told.push(notice);
      }),
    end: (topic) => void admins.end(topic),
  };
}
