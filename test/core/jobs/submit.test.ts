import { describe, expect, test } from "vitest";
import { Unavailable } from "../../../src/contract/errors.js";
import { asKopecks } from "../../../src/contract/price.js";
import { nodeMediaDisk } from "../../../src/media/disk.js";
import { NoticeQueue, type OperatorNotice } from "../../../src/ports/operator-notices.js";
import { IMAGE, openTestCore, order, quote, type TestCore } from "../../support/core.js";
import { failOnce } from "../../support/fail-once.js";

const UNIT = quote(IMAGE).totalKopecks;

let world: TestCore;

describe("submitting an order", () => {
  test("accepts an order id once, however often and concurrently it is sent", async () => {
    world = openTestCore();
    const ann = await world.person(1, 100 * UNIT);
    const request = { ...IMAGE, count: 2 };
    const answers = await Promise.all(Array.from({ length: 20 }, () => order(ann, "one", request)));
    answers.push(await order(ann, "one", request));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(world.adminService.account(1).balance).toBe(98 * UNIT);
    expect(await world.queued()).toBe(2);
  });

  test("returns an accepted order again after balance, price and storage have changed", async () => {
    let free = 2 ** 40;
    world = openTestCore({ mediaDisk: { ...nodeMediaDisk, freeBytes: async () => free } });
    const ann = await world.person(1, UNIT);
    const first = await order(ann, "one");
    free = 0;
    await world.clock.advance(2000);
    await expect(order(await world.person(2, UNIT), "two")).rejects.toBeInstanceOf(Unavailable);
    expect(await ann.submit(IMAGE, { id: "one", quotedKopecks: asKopecks(1) })).toEqual(first);
    await world.close();
    world = openTestCore({ directory: world.directory });
    expect(await order(await world.person(1), "one")).toEqual(first);
  });

  test("is rejected for now while another process locks the database, without reporting the storage", async () => {
    world = openTestCore();
    const ann = await world.person(1, 100 * UNIT);
    const write = world.database.write.bind(world.database);
    world.database.write = () =>
      Promise.reject(Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" }));
    await expect(order(ann, "one")).rejects.toBeInstanceOf(Unavailable);
    world.database.write = write;
    expect((await order(ann, "one")).status).toBe("queued");
  });

  test("is rejected by a disk that takes no writes, charges nothing, and says that the storage is bad", async () => {
    world = openTestCore({ failPoint: failOnce("commit:before", "job:accept") });
    const ann = await world.person(1, UNIT);
    await expect(order(ann, "one")).rejects.toMatchObject({ name: "Unavailable", reason: "storage" });
    expect(await world.metric("atelier_storage_good")).toBe(0);
    expect(world.adminService.account(1).balance).toBe(UNIT);
    expect((await order(ann, "one")).status).toBe("queued");
  });
});

test("the first ten orders of all are told whatever they cost, each once, and then those of the set sum", async () => {
  const notices = new NoticeQueue();
  const told: OperatorNotice[] = [];
  notices.deliverBy((notice) => told.push(notice));
  const toldSaleKopecks = asKopecks(2 * UNIT);
  world = openTestCore({ notices, settings: { toldSaleKopecks } });
  const [ann, boris] = [await world.person(1, 100 * UNIT), await world.person(2, 100 * UNIT)];
  const buy = (count: number, first: number, ofEach = 1) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        order(n % 2 === 0 ? ann : boris, `order-${first + n}`, { ...IMAGE, count: ofEach }),
      ),
    );
  await buy(1, 0, 2);
  await buy(1, 0, 2);
  // Some of these are accepted in one commit.
  await buy(11, 1);
  const sale = { kind: "sale", model: expect.any(String), origin: "bot" };
  const first = [{ ...sale, kopecks: 2 * UNIT }, ...Array(9).fill({ ...sale, kopecks: UNIT })];
  expect(told).toEqual(first);
  await buy(1, 12, 2);
  expect(told).toEqual([...first, { ...sale, kopecks: 2 * UNIT }]);
});
