import { describe, expect, test } from "vitest";
import { AccountStore } from "../../../src/client/connected-accounts.js";
import { asKopecks } from "../../../src/contract/price.js";
import type { Accepted } from "../../../src/contract/request.js";
import { createTextCipher } from "../../../src/platform/text-cipher.js";
import { NOT_CONNECTED } from "../../../src/ports/gateway.js";
import { eventually } from "../../support/eventually.js";
import { reset } from "../../support/faulty-service.js";
import { REQUEST } from "../harness.js";
import { ANN, BORIS, ENCRYPTION_KEY, openWorld } from "./world.js";

const FIRST = "key-of-first-1";
const SECOND = "key-of-second-1";
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const CHECKED_AFTER_MS = 10_000;
const terms = (id: string) => ({ id, quotedKopecks: asKopecks(1000) });

describe("a connected account", () => {
  test("is its person's own: balance, orders and nobody else's", async () => {
    const { connections, gateways, gatewayOf, service } = await openWorld();
    expect(await gateways.of(ANN)).toBe(NOT_CONNECTED);
    expect(await connections.connect(ANN, FIRST)).toMatchObject({ outcome: "connected", resumed: 0 });
    await connections.connect(BORIS, SECOND);
    const ann = await gatewayOf(ANN);
    expect(await ann.balance()).toEqual({ currency: "RUB", amount: 12.5 });
    const { job_id } = await ann.submit(REQUEST, terms("order-1"));
    expect(service.posts[0]?.headers.authorization).toBe(`Bearer ${FIRST}`);
    expect(await ann.job(job_id)).toMatchObject({ status: "generating" });
    await expect((await gatewayOf(BORIS)).job(job_id)).rejects.toMatchObject({ code: "job_not_found" });
    expect(await connections.disconnect(ANN)).toEqual({ outcome: "disconnected", openOrders: 0 });
    expect(await gateways.of(ANN)).toBe(NOT_CONNECTED);
    expect(await connections.disconnect(ANN)).toEqual({ outcome: "not_connected" });
  });

  test("shows people without one what models there are", async () => {
    const { connections, accounts, gatewayOf, clock } = await openWorld();
    expect(accounts.catalogue()).toEqual([]);
    await connections.connect(ANN, FIRST);
    await (await gatewayOf(ANN)).models();
    expect(accounts.catalogue()).toMatchObject([{ model_key: "fox-1" }]);
    await clock.advance(24 * 3_600_000);
    expect(accounts.catalogue()).toEqual([]);
  });

  test("keeps its orders when another one takes its place, and comes back with any of its keys", async () => {
    const { connections, gatewayOf, world, clock, database } = await openWorld();
    await connections.connect(ANN, FIRST);
    const { job_id } = await (await gatewayOf(ANN)).submit(REQUEST, terms("order-1"));
    world.open.set(1, 1);
    const moved = await connections.connect(ANN, SECOND);
    expect(moved).toMatchObject({ earlier: { followed: 1, waiting: 0 } });
    expect(await (await gatewayOf(ANN, "order-1")).job(job_id)).toMatchObject({ job_id });
    await expect((await gatewayOf(ANN)).job(job_id)).rejects.toMatchObject({ code: "job_not_found" });
    world.keys.set("key-of-first-2", "first");
    expect(await connections.connect(ANN, "key-of-first-2")).toMatchObject({ earlier: { followed: 0 } });
    expect(await (await gatewayOf(ANN)).job(job_id)).toMatchObject({ job_id });
    const store = new AccountStore(database, createTextCipher([ENCRYPTION_KEY]));
    // The second one had no orders, and is forgotten.
    expect(store.ofUser(ANN.id)).toMatchObject([{ id: 1, is_current: 1 }]);
    expect(store.keyOf(1)).toBe("key-of-first-2");
    await connections.disconnect(ANN);
    expect(store.ofUser(ANN.id)).toMatchObject([{ id: 1, is_current: 0 }]);
    world.open.clear();
    await clock.advance(60_000);
    await eventually("the key is forgotten", () => store.ofUser(ANN.id).length === 0);
  });
});

describe("a key that is refused", () => {
  test("is not taken, and after ten of them in an hour none is tried", async () => {
    const { connections, service, clock } = await openWorld();
    for (let n = 0; n < 10; n += 1)
      expect(await connections.connect(ANN, `wrong-key-${n}`)).toEqual({ outcome: "refused" });
    const { length } = service.gets;
    expect(await connections.connect(ANN, FIRST)).toEqual({ outcome: "too_many" });
    expect(service.gets).toHaveLength(length);
    expect(await connections.connect(BORIS, SECOND)).toMatchObject({ outcome: "connected" });
    await clock.advance(3_600_000);
    expect(await connections.connect(ANN, FIRST)).toMatchObject({ outcome: "connected" });
  });

  test("once is a doubt: a second answer decides, and nobody is told", async () => {
    const { connections, gateways, gatewayOf, world, clock, service } = await openWorld();
    await connections.connect(ANN, FIRST);
    world.refusals = 1;
    await expect((await gatewayOf(ANN)).balance()).rejects.toMatchObject({ reason: "account" });
    const { length } = service.gets;
    await clock.advance(CHECKED_AFTER_MS);
    await eventually("it was tried again", () => service.gets.length > length);
    expect(await gateways.of(ANN)).not.toBe(NOT_CONNECTED);
    expect(world.told).toEqual([]);
  });

  test("twice is told once, and open orders keep their account", async () => {
    const { connections, gateways, gatewayOf, world, clock, refused } = await openWorld();
    await connections.connect(ANN, FIRST);
    await (await gatewayOf(ANN)).submit(REQUEST, terms("order-1"));
    world.open.set(1, 1);
    world.keys.delete(FIRST);
    for (let n = 0; n < 2; n += 1)
      await expect((await gatewayOf(ANN)).balance()).rejects.toMatchObject({ reason: "account" });
    await refused();
    expect(await gateways.of(ANN)).toBe(NOT_CONNECTED);
    await expect((await gatewayOf(ANN, "order-1")).job(1000)).rejects.toMatchObject({ reason: "account" });
    await clock.advance(600_000);
    expect(world.told).toEqual([{ userId: ANN.id, isCurrent: true, openOrders: 1 }]);

    const moved = await connections.connect(ANN, SECOND);
    expect(moved).toMatchObject({ earlier: { followed: 0, waiting: 1 } });
    world.keys.set("key-of-first-2", "first");
    expect(await connections.connect(ANN, "key-of-first-2")).toMatchObject({ resumed: 1 });
    expect(await (await gatewayOf(ANN, "order-1")).job(1000)).toMatchObject({ job_id: 1000 });
  });

  test("is one too when the answer has no code of the contract", async () => {
    const { connections, service, refused } = await openWorld();
    await connections.connect(ANN, FIRST);
    service.behave = (response) => void response.writeHead(401).end("<h1>Unauthorized</h1>");
    await refused();
    expect(await connections.connect(BORIS, SECOND)).toEqual({ outcome: "refused" });
  });

  test("ends the orders that wait for it after thirty days, in whichever process", async () => {
    const first = await openWorld();
    const { world, clock, pass } = first;
    await first.connections.connect(ANN, FIRST);
    const { job_ids: jobIds } = await (await first.gatewayOf(ANN)).submit(REQUEST, terms("order-1"));
    world.open.set(1, 1);
    world.keys.delete(FIRST);
    const seen: string[] = [];
    const watch = ({ jobFeed }: Pick<typeof first, "jobFeed">) =>
      jobFeed.watch({ id: "order-1", user: ANN, jobIds }, async (jobs) => {
        seen.push(...jobs.map(({ status }) => status));
      });
    watch(first);
    await pass(MINUTE_MS);
    expect(world.told).toHaveLength(1);
    await pass(DAY_MS);
    await first.stop();
    await clock.advance(27 * DAY_MS);
    const second = await first.restart();
    watch(second);
    await pass(2 * DAY_MS - 2 * MINUTE_MS);
    expect(seen).toEqual([]);
    await pass(12 * MINUTE_MS);
    expect(seen).toEqual(["error"]);
    expect(await (await second.gatewayOf(ANN, "order-1")).job(1000)).toMatchObject({ refund: "unknown" });
  });

  test("that works again is used again", async () => {
    const { connections, gateways, world, clock, refused } = await openWorld();
    await connections.connect(ANN, FIRST);
    world.keys.delete(FIRST);
    await refused();
    world.keys.set(FIRST, "first");
    expect(await gateways.of(ANN)).toBe(NOT_CONNECTED);
    await clock.advance(CHECKED_AFTER_MS);
    await eventually("it works", async () => (await gateways.of(ANN)) !== NOT_CONNECTED);
  });

  test("is told later, also after a restart, to a person who could not be told", async () => {
    const { connections, gatewayOf, world, clock, restart } = await openWorld();
    await connections.connect(ANN, FIRST);
    world.keys.delete(FIRST);
    const { tell } = world;
    let tries = 0;
    world.tell = () => {
      tries += 1;
      return Promise.reject(new Error("Telegram is down"));
    };
    await expect((await gatewayOf(ANN)).balance()).rejects.toMatchObject({ reason: "account" });
    await clock.advance(CHECKED_AFTER_MS);
    await eventually("it was tried", () => tries === 1);
    await clock.advance(60_000);
    await eventually("it was tried again", () => tries === 2);
    world.tell = tell;
    await restart();
    await eventually("she is told", () => world.told.length === 1);
  });

  test("pays nothing, and leaves the order free to be made again", async () => {
    const { connections, gatewayOf, world, service } = await openWorld();
    await connections.connect(ANN, FIRST);
    const ann = await gatewayOf(ANN);
    world.keys.delete(FIRST);
    await expect(ann.submit(REQUEST, terms("order-1"))).rejects.toMatchObject({ reason: "account" });
    expect(service.jobs.size).toBe(0);
    world.keys.set(FIRST, "first");
    await ann.submit(REQUEST, terms("order-1"));
    expect(service.jobs.size).toBe(1);
  });

  test("in the middle of a doubtful POST: it is repeated with the next key of the account, one job", async () => {
    const { connections, gatewayOf, world, service, clock } = await openWorld();
    service.retentionSec = 86_400;
    await connections.connect(ANN, FIRST);
    await (await gatewayOf(ANN)).submit(REQUEST, terms("order-0"));
    world.onPost = (_response, request, body) => {
      service.accept(request, body);
      world.keys.delete(FIRST);
      reset(request);
    };
    let accepted: Accepted | undefined;
    const submission = (await gatewayOf(ANN)).submit(REQUEST, terms("order-1")).then((answer) => {
      accepted = answer;
    });
    world.open.set(1, 1);
    await eventually("it was accepted", () => service.jobs.size === 2);
    world.onPost = undefined;
    await eventually("she is told", async () => {
      await clock.advance(5000);
      return world.told.length > 0;
    });
    world.keys.set("key-of-first-2", "first");
    await connections.connect(ANN, "key-of-first-2");
    await eventually("a repeat", async () => {
      await clock.advance(60_000);
      return accepted !== undefined;
    });
    await submission;
    expect(accepted).toMatchObject({ job_id: 1001 });
    expect(service.jobs.size).toBe(2);
    expect(service.posts.at(-1)?.headers).toMatchObject({ authorization: "Bearer key-of-first-2" });
  });
});

test("ENCRYPTION_KEY is replaced: a start with both keys writes the stored keys anew, and the old one can go", async () => {
  const next = Buffer.alloc(32, 2);
  const { connections, restart, lines } = await openWorld();
  await connections.connect(ANN, FIRST);
  await expect(restart([next])).rejects.toThrow(/^ENCRYPTION_KEY: /);
  await restart([next, ENCRYPTION_KEY]);
  const { gatewayOf } = await restart([next]);
  expect(await (await gatewayOf(ANN)).balance()).toMatchObject({ amount: 12.5 });
  await expect(restart([ENCRYPTION_KEY])).rejects.toThrow(/^ENCRYPTION_KEY: /);
  expect(JSON.stringify(lines)).not.toContain(FIRST);
});
