import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAdminService } from "../../src/core/admin-service.js";
import { systemClock } from "../../src/platform/clock.js";
import { openDatabase } from "../../src/restore-data.js";
import { Chatter } from "../support/chatter.js";
import { ChildService } from "../support/child-service.js";
import { openOrderStore, payOrder } from "../support/direct-order.js";
import { eventually } from "../support/eventually.js";
import { ANN, openSandbox, TOKEN } from "../support/service.js";

const SONG = { type: "music", model_key: "music:suno-v5", description: "a slow song about a train" } as const;

test("a service killed during an album upload sends it once more; killed after it, never again", async () => {
  const sandbox = await openSandbox();
  const directory = mkdtempSync(join(tmpdir(), "atelier-song-crash-"));
  const environment = {
    BOT_TOKEN: TOKEN,
    TELEGRAM_API_ROOT: sandbox.url,
    DATA_DIR: directory,
    WELCOME_CREDIT_RUB: "1000",
  };
  const ann = new Chatter(sandbox.person(ANN.id));
  let child = new ChildService(environment);
  await child.ready();
  ann.say("/balance");
  await ann.see("Your balance");
  await child.kill();
  const database = openDatabase({ dataDir: directory }, "tool");
  const order = await payOrder(database, { userId: ANN.id, request: SONG });
  const tracks = () => ann.heard().filter(({ audio }) => audio !== undefined).length;

  /** Kills the service while a call of it waits; Telegram takes the call all the same. */
  async function killDuring(method: string, matches = (_call: { params: Record<string, unknown> }) => true) {
    const held = sandbox.hold(method, matches);
    child = new ChildService(environment);
    await child.ready();
    await held.arrived();
    await child.kill();
    held.release();
  }
  await killDuring("sendMediaGroup");
  await sandbox.waitUntil(() => tracks() === 2 || undefined);
  await killDuring("sendMessage", ({ params }) => JSON.stringify(params).includes("callback_data"));
  expect(tracks()).toBe(4);
  child = new ChildService(environment);
  await child.ready();
  const orders = openOrderStore(database);
  await eventually("the end", () => orders.findDelivery(order.id)?.state === "sent");
  expect(tracks()).toBe(4);
  expect(createAdminService(database, systemClock).accounts()).toMatchObject([{ balance: 975_00 }]);
  await child.kill();
  await database.close();
  await sandbox.close();
});
