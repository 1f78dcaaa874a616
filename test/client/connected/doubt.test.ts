import { describe, expect, test } from "vitest";
import { AccountStore } from "../../../src/client/connected-accounts.js";
import { asKopecks } from "../../../src/contract/price.js";
import { createTextCipher } from "../../../src/platform/text-cipher.js";
import { eventually } from "../../support/eventually.js";
import { reset } from "../../support/faulty-service.js";
import { turnOfEvents } from "../../support/manual-clock.js";
import { endOf, REQUEST } from "../harness.js";
import { ANN, BORIS, ENCRYPTION_KEY, openWorld } from "./world.js";

const FIRST = "key-of-first-1";
const FIRST_ANEW = "key-of-first-2";
const SECOND = "key-of-second-1";
const CHECKED_AFTER_MS = 10_000;
const terms = (id: string) => ({ id, quotedKopecks: asKopecks(1000) });

/** Ann's order was accepted with her first key, and its answer is lost: so are those of the repeats. */
async function openDoubt() {
  const opened = await openWorld();
  const { service, world, connections, gatewayOf, clock } = opened;
  service.retentionSec = 86_400;
  await connections.connect(ANN, FIRST);
  world.onPost = (_response, request, body) => {
    service.accept(request, body);
    reset(request);
  };
  const cut = endOf((await gatewayOf(ANN)).submit(REQUEST, terms("order-1")));
  world.open.set(1, 1);
  await eventually("it was accepted", () => service.posts.length === 1);
  /** Advances until the service has got so many POSTs. */
  const posted = (count: number) =>
    eventually(`${count} POSTs`, async () => {
      if (service.posts.length < count) await clock.advance(1000);
      return service.posts.length >= count;
    });
  const keysUsed = () =>
    service.posts.map(({ headers }) => String(headers.authorization).replace("Bearer ", ""));
  return { ...opened, cut, posted, keysUsed };
}

describe("a POST in doubt", () => {
  test("goes on with its own key after a restart with a new ENCRYPTION_KEY, whatever account is connected now", async () => {
    const { world, service, connections, stop, restart, cut, posted, keysUsed } = await openDoubt();
    await connections.connect(ANN, SECOND);
    await stop();
    expect(await cut).toBe("SubmissionInterruptedError");
    const { gatewayOf } = await restart([Buffer.alloc(32, 2), ENCRYPTION_KEY]);
    world.onPost = undefined;
    const end = endOf((await gatewayOf(ANN, "order-1")).submit(REQUEST, terms("order-1")));
    await posted(2);
    expect(await end).toBe(1000);
    expect(keysUsed()).toEqual([FIRST, FIRST]);
    expect(service.jobs.size).toBe(1);
  });

  test("of an account whose key has no job yet waits for that key, and is not sent with any other", async () => {
    const { world, connections, gateways, clock, cut, keysUsed, service } = await openDoubt();
    world.onPost = undefined;
    world.keys.delete(FIRST);
    // The only job of the account is the one in doubt: nothing shows whose key this is.
    world.keys.set(FIRST_ANEW, "first");
    await connections.connect(ANN, FIRST_ANEW);
    await clock.advance(60_000);
    await turnOfEvents();
    expect(service.posts.length).toBe(1);
    world.keys.set(FIRST, "first");
    await eventually("a repeat", async () => {
      await clock.advance(10_000);
      return service.posts.length > 1;
    });
    expect(await cut).toBe(1000);
    expect(keysUsed()).toEqual([FIRST, FIRST]);
    expect(await gateways.of(ANN)).not.toBe("not_connected");
  });

  test("was sent; one that was answered by a refusal, or never sent, was not", async () => {
    const { accounts, gatewayOf, world, service } = await openDoubt();
    const wasSent = (id: string) => accounts.wasSent(id);
    expect([wasSent("order-1"), wasSent("order-2")]).toEqual([true, false]);
    world.onPost = (response) => service.answer(response, 400, { ok: false, error: "prompt_too_long" });
    const refused = (await gatewayOf(ANN)).submit(REQUEST, terms("order-2"));
    await expect(refused).rejects.toMatchObject({ code: "prompt_too_long" });
    expect(wasSent("order-2")).toBe(false);
  });
});

describe("an order that was confirmed and is not sent yet", () => {
  /** Ann's order at the moment when its price is read; `goOn` answers. */
  async function openUnsent() {
    const opened = await openWorld();
    const { service, connections, gatewayOf, world } = opened;
    await connections.connect(ANN, FIRST);
    const { behave } = service;
    let goOn = () => {};
    service.behave = (response, request, body) => {
      if (!request.url?.endsWith("/models")) return behave(response, request, body);
      goOn = () => behave(response, request, body);
    };
    const end = endOf((await gatewayOf(ANN)).submit(REQUEST, terms("order-1")));
    world.open.set(1, 1);
    await eventually("its price is read", () => service.gets.some(({ path }) => path.endsWith("/models")));
    return { ...opened, end, goOn: () => goOn() };
  }

  test("is paid from the account that it was confirmed with, although another one is connected now", async () => {
    const { service, connections, end, goOn } = await openUnsent();
    await connections.disconnect(ANN);
    await connections.connect(ANN, SECOND);
    goOn();
    expect(await end).toBe(1000);
    expect(service.posts.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${FIRST}`]);
  });

  test("is not sent when its key is revoked, nor with the key of another account", async () => {
    const { service, connections, accounts, world, end, goOn } = await openUnsent();
    await connections.connect(ANN, SECOND);
    world.keys.delete(FIRST);
    goOn();
    expect(await end).toBe("Unavailable");
    expect([service.posts.length, accounts.wasSent("order-1")]).toEqual([0, false]);
  });
});

describe("a key", () => {
  test("that two people have connected is each one's own: one leaves, and the other one's order goes on", async () => {
    const { connections, gatewayOf, service } = await openWorld();
    await connections.connect(ANN, FIRST);
    await connections.connect(BORIS, FIRST);
    await (await gatewayOf(ANN)).submit(REQUEST, terms("order-1"));
    expect(await connections.disconnect(BORIS)).toMatchObject({ outcome: "disconnected" });
    expect(await (await gatewayOf(ANN)).job(1000)).toMatchObject({ job_id: 1000 });
    await (await gatewayOf(ANN)).submit(REQUEST, terms("order-2"));
    expect(service.jobs.size).toBe(2);
  });

  test("that is connected again after a crash before the answer is the same account", async () => {
    const { connections, database } = await openWorld();
    await connections.connect(ANN, FIRST);
    await connections.connect(ANN, FIRST);
    const store = new AccountStore(database, createTextCipher([ENCRYPTION_KEY]));
    expect(store.ofUser(ANN.id)).toMatchObject([{ id: 1, is_current: 1 }]);
  });

  test("that takes the place of one while that is being checked is not refused for it", async () => {
    const { connections, gatewayOf, gateways, world, clock, service } = await openWorld();
    await connections.connect(ANN, FIRST);
    await (await gatewayOf(ANN)).submit(REQUEST, terms("order-1"));
    const { behave } = service;
    const held: (() => void)[] = [];
    world.keys.delete(FIRST);
    world.keys.set(FIRST_ANEW, "first");
    await expect((await gatewayOf(ANN)).balance()).rejects.toMatchObject({ reason: "account" });
    service.behave = (response, request, body) => {
      const answer = () => behave(response, request, body);
      if (request.headers.authorization === `Bearer ${FIRST}`) held.push(answer);
      else answer();
    };
    await clock.advance(CHECKED_AFTER_MS);
    await eventually("it is being checked", () => held.length > 0);
    await connections.connect(ANN, FIRST_ANEW);
    for (const answer of held) answer();
    await clock.advance(60_000);
    await turnOfEvents();
    expect(world.told).toEqual([]);
    expect(await gateways.of(ANN)).not.toBe("not_connected");
  });
});
