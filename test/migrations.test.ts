import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { openDatabase } from "../src/app.js";
import { BOT_MIGRATIONS } from "../src/bot/bot.js";
import { isOrderOpen } from "../src/bot/orders/store/order-table.js";
import { CORE_MIGRATIONS } from "../src/core/core.js";
import { WRITE_PROBE_MIGRATION } from "../src/database/write-probe.js";
import { openOrderStore } from "./support/direct-order.js";

/** The schema before files were held for orders, in the order of its steps. */
const OLD_STEPS = [
  "write-probe",
  "accounts",
  "ledger",
  "jobs",
  "media",
  "inbox",
  "people",
  "dialogs",
  "drafts",
  "orders",
  "deliveries",
  "removals",
  "draft-types",
  "api-keys",
  "uncertain-orders",
  "kept-references",
  "last-words",
];

const NOW = Date.UTC(2026, 0, 1);

test("an older database is brought up to date: what is open is held, what expired is offered, statuses are kept", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "atelier-old-"));
  const all = [WRITE_PROBE_MIGRATION, ...CORE_MIGRATIONS, ...BOT_MIGRATIONS];
  const old = new Sqlite(join(dataDir, "atelier.db"));
  for (const name of OLD_STEPS) old.exec(all.find((step) => step.name === name)?.sql ?? "");
  old.pragma(`user_version = ${OLD_STEPS.length}`);
  const request = `'{"type":"image","model_key":"a","prompt":"b"}'`;
  for (const [id, state, delivery] of [
    ["open", "delivering", "parked"],
    ["over", "closed", "expired"],
    ["sent", "closed", "sent"],
  ]) {
    old.exec(
      `INSERT INTO "order" VALUES ('${id}', 1, 7, 'Ann', 7, NULL, NULL, 'A', ${request}, 1000, '${state}', '[1]', ${NOW})`,
    );
    old.exec(
      `INSERT INTO delivery VALUES ('${id}', 7, 7, '${delivery}', 0, ${NOW}, NULL, '[]', '[]', ${NOW}, NULL)`,
    );
  }
  old.exec(`INSERT INTO account (id, name, balance, created_at) VALUES (1, 'Ann', 0, ${NOW})`);
  old.exec(
    `INSERT INTO media_file (name, account_id, role, position, mime, size, created_at)
     VALUES ('a.webp', 1, 'reference', 0, 'image/webp', 1, ${NOW})`,
  );
  // The status messages of two orders do not say yet that they have ended.
  old.exec("INSERT INTO last_words VALUES ('over', 0), ('sent', 1)");
  old.close();

  const database = openDatabase({ dataDir }, "service");
  expect(["open", "over", "sent"].filter((id) => isOrderOpen(database, id))).toEqual(["open"]);
  expect(openOrderStore(database).dueOffers(7)).toEqual(["over"]);
  expect(openOrderStore(database).pendingFinalStatuses()).toEqual([
    { orderId: "over", isDone: false },
    { orderId: "sent", isDone: true },
  ]);
  await database.close();
  const migrated = new Sqlite(join(dataDir, "atelier.db"), { readonly: true });
  expect(migrated.prepare("SELECT * FROM retention_clock").all()).toEqual([
    { id: 1, trusted_at: NOW, seen_at: NOW, doubted_since: null },
  ]);
  migrated.close();
});
