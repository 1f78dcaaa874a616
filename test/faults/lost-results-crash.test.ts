import { mkdtempSync, rmSync } from "node:fs";
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

const IMAGE = { type: "image", model_key: "nano-banana-2", prompt: "a ferry" } as const;

test("a service killed between the refund of lost results and the end of delivery refunds once", async () => {
  const sandbox = await openSandbox();
  const directory = mkdtempSync(join(tmpdir(), "atelier-lost-crash-"));
  const environment = {
    BOT_TOKEN: TOKEN,
    TELEGRAM_API_ROOT: sandbox.url,
    DATA_DIR: directory,
    WELCOME_CREDIT_RUB: "1000",
  };
  const ann = new Chatter(sandbox.person(ANN.id));
  const start = async () => {
    const child = new ChildService(environment);
    await child.ready();
    return child;
  };
  let child = await start();
  ann.say("/start");
  await ann.see("Your balance");
  await child.kill();
  const database = openDatabase({ dataDir: directory }, "tool");
  const adminService = createAdminService(database, systemClock);
  const order = await payOrder(database, { userId: ANN.id, request: IMAGE });

  const answer = { type: "status", code: 502, description: "Bad Gateway" } as const;
  sandbox.faults.add({ method: "sendPhoto", times: Number.POSITIVE_INFINITY, answer });
  child = await start();
  await sandbox.waitForCall("sendPhoto");
  await child.kill();
  sandbox.faults.clear();
  rmSync(join(directory, "media", "files"), { recursive: true });

  const held = sandbox.hold("sendMessage", ({ params }) => String(params.text).includes("money is back"));
  child = await start();
  await held.arrived();
  await child.kill();
  held.release();
  child = await start();
  const orders = openOrderStore(database);
  await eventually("the end", () => orders.findDelivery(order.id)?.state === "failed");
  const [account] = adminService.accounts();
  expect(account?.balance).toBe(1000_00);
  const refunds = adminService.entries(account?.id ?? 0).filter(({ kind }) => kind === "refund");
  expect(refunds).toMatchObject([{ order_id: order.id, amount: order.quotedKopecks }]);
  expect(adminService.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
  expect(ann.photos()).toEqual([]);
  await child.kill();
  await database.close();
  await sandbox.close();
});
