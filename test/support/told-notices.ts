import { AdminNotices } from "../../src/bot/notices/notices.js";
import type { Database, Transaction } from "../../src/database/database.js";
import type { Clock } from "../../src/platform/clock.js";
import { NoticeQueue, type OperatorNotice } from "../../src/ports/operator-notices.js";
import { texts } from "./drafts.js";
import { groundOf } from "./ground.js";
import { silentLogger } from "./log.js";

/** Notices whose rows are real and whom nobody is sent: `told` gets what an admin would be told. */
export function recordedNotices(database: Database, clock: Clock, told: OperatorNotice[]): NoticeQueue {
  const admins = new AdminNotices(
    groundOf({ database, clock, logger: silentLogger() }),
    { sendMessage: () => Promise.reject(new Error("there is no bot")) },
    { has: () => false, [Symbol.iterator]: () => [].values() },
    { find: () => undefined },
    () => texts.in("en"),
  );
  const notices = new NoticeQueue();
  notices.deliverBy(
    (notice, once, tx) => {
      const record = (tx: Transaction) => {
        if (admins.record(tx, notice, clock.now(), once)) told.push(notice);
      };
      if (tx) record(tx);
      else database.write("notice", record).catch(() => {});
    },
    (topic) => void admins.end(topic).catch(() => {}),
  );
  return notices;
}

/** Notices that are told into a list. */
export function noticesTo(told: OperatorNotice[]): NoticeQueue {
  const notices = new NoticeQueue();
  notices.deliverBy((notice) => told.push(notice));
  return notices;
}
