import type { Api } from "grammy";
import { afterEach, describe, expect, test } from "vitest";
import type { CardMessages } from "../../../src/bot/card/card-messages.js";
import { OrderService } from "../../../src/bot/orders/order-service.js";
import type { Person } from "../../../src/bot/people/people.js";
import { ContractError, SubmissionInterruptedError } from "../../../src/contract/errors.js";
import type { JobId, JobStatus } from "../../../src/contract/job.js";
import { systemIds } from "../../../src/platform/ids.js";
import type { Gateways } from "../../../src/ports/gateway.js";
import type { JobFeed } from "../../../src/ports/job-feed.js";
import { NEW_DRAFT, openBotWorld, refusal } from "../../support/bot-world.js";
import { catalogue } from "../../support/core.js";
import { texts } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";
import { silentLogger } from "../../support/log.js";
import { turnOfEvents } from "../../support/manual-clock.js";

const GROUP = -1001;
const TOPIC = 5;

type Call = { method: string; chat: number; text?: string; thread?: number; message?: number };

let stop: (() => Promise<void>) | undefined;
afterEach(() => stop?.());

/** An order service with orders that an earlier run left claimed, in front of a core and a Telegram of the test. */
async function openService({
  isExactlyOnce = true,
  fault = undefined as Error | undefined,
  chargedRubles = 10,
  answer = Promise.resolve(),
} = {}) {
  let isFull = false;
  const world = openBotWorld((name) => {
    if (isFull && name.startsWith("commit:before:order-")) throw new Error("database or disk is full");
  });
  const { clock, drafts, orders } = world;
  const calls: Call[] = [];
  const submitted: string[] = [];
  const statuses = new Map<JobId, JobStatus>();
  const told = new Set<() => Promise<void>>();
  /** What Telegram throws at the next photos. */
  const faults: Error[] = [];
  /** What the next photos wait for, while a test holds them. */
  const gate = { open: Promise.resolve() };
  const api = {
    async sendMessage(chat: number, text: string, { message_thread_id: thread }: Record<string, number>) {
      calls.push({ method: "sendMessage", chat, text, ...(thread !== undefined && { thread }) });
      return { message_id: 100 };
    },
    async editMessageText(chat: number, message: number, text: string) {
      calls.push({ method: "editMessageText", chat, message, text });
    },
    async sendPhoto(chat: number) {
      calls.push({ method: "sendPhoto", chat });
      await gate.open;
      const refused = faults.shift();
      if (refused) throw refused;
      return { message_id: 200, photo: [{ file_id: "photo" }] };
    },
  } as unknown as Api;
  const open = async () => ({ destroy() {} });
  const gateway = {
    balance: async () => ({ currency: "RUB", amount: 4 }),
    async submit(_request: unknown, { id }: { id: string }) {
      submitted.push(id);
      const jobId = submitted.length;
      await answer;
      if (fault) throw fault;
      if (!statuses.has(jobId)) statuses.set(jobId, "generating");
      return { job_ids: [jobId], cost_rub: chargedRubles };
    },
    job: async (id: JobId) => ({ job_id: id, type: "image", status: statuses.get(id), cost_rub: 10 }),
    models: async () => [],
    results: async () => [{ kind: "result", index: 0, mime: "image/webp", size: 1000, fileName: "a", open }],
  };
  const gateways = {
    submitIsExactlyOnce: isExactlyOnce,
    of: async () => gateway,
  } as unknown as Gateways;
  const jobFeed: JobFeed = {
    watch({ jobIds }, listener) {
      const tell = async () => listener(await Promise.all(jobIds.map((id) => gateway.job(id) as never)));
      told.add(tell);
      void tell();
      return () => told.delete(tell);
    },
  };
  const reposted: number[] = [];
  const cards = { repost: async ({ id }: { id: number }) => reposted.push(id) } as unknown as CardMessages;
  const service = new OrderService({
    ...world,
    api,
    plainApi: api,
    gateways,
    jobFeed,
    cards,
    ids: systemIds,
    logger: silentLogger(),
    personOf: (id) => ({ id, name: "Ann", locale: "en" }) as Person,
    languageOf: () => texts.in("en"),
    supportContact: undefined,
  });
  stop = () => service.stop();

  async function claim(orderId: string, place = { chatId: 7, threadId: null as number | null }) {
    const { draft } = await drafts.open({ ...NEW_DRAFT, ...place });
    await drafts.setMessage(draft, 40 + draft.id);
    const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
    const order = await orders.claim({
      orderId,
      draft,
      userName: "Ann",
      modelTitle: "Nano",
      request,
      quotedKopecks: 1000,
    });
    if (!order) throw new Error("not claimed");
    return order;
  }
  /** Confirms a draft at its price. */
  async function pay() {
    const { draft } = await drafts.open(NEW_DRAFT);
    await drafts.setMessage(draft, 40 + draft.id);
    const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
    const [model] = catalogue.models;
    if (!model) throw new Error("an empty catalogue");
    return service.pay(draft, model, { id: 7, name: "Ann" } as Person, 1000, request);
  }
  function end(id: JobId): void {
    statuses.set(id, "done");
    for (const tell of told) void tell();
  }
  /** Lets photos wait, until the answer is called. */
  function closeGate(): () => void {
    let open = () => {};
    gate.open = new Promise((resolve) => {
      open = resolve;
    });
    return () => open();
  }
  const fill = (isNowFull: boolean) => {
    isFull = isNowFull;
  };
  const state = (id: string) => orders.find(id)?.state;
  const isIn = (id: string, expected: string) =>
    eventually(`order ${id} ${expected}`, () => state(id) === expected);
  const callsOf = (method: string) => calls.filter((call) => call.method === method);
  return {
    clock,
    orders,
    service,
    claim,
    pay,
    end,
    closeGate,
    fill,
    isIn,
    callsOf,
    submitted,
    reposted,
    faults,
  };
}

describe("an order that was claimed when the service ended", () => {
  test("is submitted, made and sent", async () => {
    const { service, claim, end, isIn, callsOf, submitted } = await openService();
    const { id } = await claim("one");
    service.start();
    await isIn(id, "accepted");
    await turnOfEvents();
    end(1);
    await isIn(id, "closed");
    expect([submitted, callsOf("sendPhoto").length]).toEqual([[id], 1]);
  });

  test("and is refused now is told where it was made, and its card is shown again", async () => {
    const fault = new ContractError("insufficient_funds", { balance: 4 });
    const { service, claim, isIn, callsOf, reposted } = await openService({ fault });
    const order = await claim("one", { chatId: GROUP, threadId: TOPIC });
    service.start();
    await isIn(order.id, "refused");
    await eventually("the card", () => reposted.length > 0);
    expect(callsOf("sendMessage")).toEqual([
      expect.objectContaining({
        chat: GROUP,
        thread: TOPIC,
        text: expect.stringContaining("balance is too low"),
      }),
    ]);
    expect(reposted).toEqual([order.draftId]);
  });

  test("is not sent to a core that may take it twice: its person is told that nobody knows", async () => {
    const { service, claim, isIn, callsOf, submitted, reposted } = await openService({
      isExactlyOnce: false,
    });
    const { id } = await claim("one");
    service.start();
    await isIn(id, "uncertain");
    await eventually("the words", () => callsOf("sendMessage").length > 0);
    expect(callsOf("sendMessage")).toMatchObject([{ chat: 7, text: texts.in("en").t("pay-uncertain") }]);
    expect([submitted, reposted]).toEqual([[], []]);
  });

  test("and whose outcome cannot be written is told so where it was made", async () => {
    const { service, claim, clock, fill, isIn, callsOf } = await openService();
    const { id } = await claim("one", { chatId: GROUP, threadId: TOPIC });
    fill(true);
    service.start();
    await eventually("the words", async () => {
      await clock.advance(1000);
      return callsOf("sendMessage").length > 0;
    });
    expect(callsOf("sendMessage")).toMatchObject([
      { chat: GROUP, thread: TOPIC, text: texts.in("en").t("pay-waiting") },
    ]);
    fill(false);
    await clock.advance(10_000);
    await isIn(id, "accepted");
  });
});

test("while files are sent into a chat no status is written there, and that of their order never again", async () => {
  const { service, claim, clock, end, closeGate, isIn, callsOf } = await openService();
  const [first, second] = [await claim("one"), await claim("two")];
  service.start();
  await isIn(second.id, "accepted");
  await clock.advance(1000);
  const before = callsOf("editMessageText").length;
  expect(new Set(callsOf("editMessageText").map(({ message }) => message)).size).toBe(2);
  const open = closeGate();
  end(1);
  await eventually("the upload", () => callsOf("sendPhoto").length > 0);
  await clock.advance(60_000);
  expect(callsOf("editMessageText")).toHaveLength(before);
  open();
  await isIn(first.id, "closed");
  await clock.advance(10_000);
  const edits = callsOf("editMessageText").slice(before);
  const own = edits.filter(({ message }) => message === first.statusMessageId);
  expect(own.map(({ text }) => text)).toEqual([expect.stringContaining("✅ Done")]);
  expect(edits.length).toBeGreaterThan(own.length);
});

test("the status of an order that has ended says nothing while its files have to wait", async () => {
  const { service, claim, clock, end, faults, isIn, callsOf } = await openService();
  const { id } = await claim("one");
  service.start();
  await isIn(id, "accepted");
  await clock.advance(1000);
  faults.push(refusal(429, "Too Many Requests: retry after 60", { retry_after: 60 }));
  end(1);
  await isIn(id, "delivering");
  await clock.advance(1000);
  const before = callsOf("editMessageText").length;
  await clock.advance(58_000);
  expect([callsOf("sendPhoto").length, callsOf("editMessageText").length]).toEqual([1, before]);
  await clock.advance(1000);
  await isIn(id, "closed");
});

test("a stop waits for the files that are being sent, and nothing is timed after it", async () => {
  const { service, claim, clock, end, closeGate, isIn, callsOf } = await openService();
  const [first, second] = [await claim("one"), await claim("two", { chatId: GROUP, threadId: null })];
  service.start();
  for (const { id } of [first, second]) await isIn(id, "accepted");
  await clock.advance(1000);
  const open = closeGate();
  end(1);
  await eventually("the upload", () => callsOf("sendPhoto").length > 0);
  let isStopped = false;
  const stopped = service.stop().then(() => {
    isStopped = true;
  });
  await turnOfEvents();
  expect(isStopped).toBe(false);
  open();
  await stopped;
  await isIn(first.id, "closed");
  expect(clock.pending).toBe(0);
});

test("an uncertain order is settled once, as an admin says", async () => {
  const { service, claim, isIn } = await openService({ isExactlyOnce: false });
  const { id } = await claim("one");
  expect(await service.settleUncertain(id, "charged")).toBe(false);
  service.start();
  await isIn(id, "uncertain");
  expect(await service.settleUncertain(id, "not_charged")).toBe(true);
  expect(await service.settleUncertain(id, "charged")).toBe(false);
  expect(await service.settleUncertain("unknown", "charged")).toBe(false);
  await isIn(id, "refused");
});

describe("a confirmation", () => {
  test("that is not answered for long frees its chat, and its outcome comes as a message", async () => {
    let release = () => {};
    const answer = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { clock, orders, pay, end, isIn, callsOf, submitted } = await openService({ answer });
    const paying = pay();
    await eventually("the order is sent", () => submitted.length === 1);
    await clock.advance(9000);
    expect(await paying).toEqual({ kind: "stale" });
    expect(callsOf("sendMessage")).toMatchObject([{ chat: 7, text: texts.in("en").t("pay-slow") }]);
    const [id = ""] = submitted;
    expect(orders.find(id)?.state).toBe("claimed");
    release();
    await isIn(id, "accepted");
    await turnOfEvents();
    end(1);
    await isIn(id, "closed");
  });

  test("that was charged with another sum is told of it at once", async () => {
    const { pay, callsOf } = await openService({ chargedRubles: 12.5 });
    expect(await pay()).toMatchObject({ kind: "accepted", chargedKopecks: 1250 });
    await eventually("the words", () => callsOf("sendMessage").length > 0);
    const { t, money } = texts.in("en");
    const sums = { charged: money(1250), quoted: money(1000) };
    expect(callsOf("sendMessage")).toMatchObject([{ chat: 7, text: t("pay-other-sum", sums) }]);
  });

  test("that a stop cuts off is left to the next start", async () => {
    const fault = new SubmissionInterruptedError("stopped");
    const { orders, pay, submitted } = await openService({ fault });
    expect(await pay()).toEqual({ kind: "stale" });
    expect(orders.find(submitted[0] ?? "")?.state).toBe("claimed");
  });
});
