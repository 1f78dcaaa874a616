import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { STARS } from "../../src/bot/payments/stars-till.js";
import { Spending } from "../../src/bot/people/spending.js";
import { asKopecks } from "../../src/contract/price.js";
import { systemClock } from "../../src/platform/clock.js";
import { ANN, BORIS, MAX } from "../support/bot-harness.js";
import { refusal } from "../support/bot-world.js";
import { type Desk, deliveredOrder, openDesk } from "../support/desk-world.js";
import { texts } from "../support/drafts.js";
import { paidInvoice } from "../support/till.js";
import { operator } from "./harness.js";

const { t, money } = texts.in("en");
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let desk: Desk;
let tool: ReturnType<typeof operator>;
beforeEach(async () => {
  desk = openDesk();
  tool = operator({ dataDir: desk.core.directory, adminIds: [MAX.id], api: desk.telegram.api });
  await desk.say("/start");
});

const balance = () => desk.core.core.accounts.users.balanceOf(ANN.id);

describe("ctl order show and job show", () => {
  test("tell what /order tells in the chat, in the same order", async () => {
    const { number } = await deliveredOrder(desk);
    const shown = await tool.json(`order show ${number}`);
    expect(shown).toEqual({
      order: number,
      order_id: "one",
      state: "closed",
      telegram_id: ANN.id,
      name: "Ann",
      account_id: 1,
      model: "Nano",
      words: "a fox",
      price: 10,
      refundable: 10,
      job_ids: ["1"],
      delivery: { state: "sent", attempts: 0, outcome: "sent" },
      created_at: TIME,
      story: expect.any(Array),
    });
    const { story } = shown as { story: { event: string; at: string }[] };
    expect(story.map(({ event }) => event).toSorted()).toEqual(
      ["confirmed", "charged", "begun", "made", "delivered"].toSorted(),
    );
    expect(story.map(({ at }) => at)).toEqual(story.map(({ at }) => at).toSorted());
    expect(story).toContainEqual({ at: TIME, event: "charged", amount: 10, actor: "service" });
    expect(story).toContainEqual({ at: TIME, event: "begun", job_id: "1", provider: "local" });
    const { out } = await tool.ctl(`order show #${number}`);
    for (const line of ["charged 10 RUB", "begun by local", "made", "delivered, files: 1"])
      expect(out).toContain(line);
  });

  test("tell of a job of the API with its tries at services", async () => {
    await desk.core.person(ANN.id);
    const db = new Sqlite(join(desk.core.directory, "atelier.db"));
    db.exec(`INSERT INTO job (account_id, origin, order_index, type, model_key, model, model_title, request, seed,
        cost, provider, status, is_refunded, failure, error, attempts, created_at, started_at, finished_at)
      VALUES (1, 'api', 0, 'music', 'suno', 'm', 't', '{}', 0, 1250, 'kie', 'error', 1, 'provider', 'It broke.', 1,
        1000, 2000, 9000);
      INSERT INTO attempt (uuid, job_id, no, provider, endpoint, operation, request_hash, state, ref, late,
        planned_at, submitted_at, accepted_at, deadline_at, detail)
      VALUES ('u1', 1, 1, 'fal', 'e', '{}', 'h', 'refused', NULL, 0, 0, 3000, NULL, 0, 'full'),
        ('u2', 1, 2, 'kie', 'e', '{}', 'h', 'failed', '{"id":"x"}', 0, 0, 4000, 5000, 0, NULL)`);
    db.close();
    const tried = { job_id: "music_1", provider: "kie", state: "failed", detail: null, ref: { id: "x" } };
    expect(await tool.json("job show music_1")).toEqual({
      job_id: "music_1",
      account_id: 1,
      order: null,
      origin: "api",
      model: "suno",
      provider: "kie",
      status: "error",
      failure: "provider",
      error: "It broke.",
      price: 12.5,
      created_at: "1970-01-01T00:00:01.000Z",
      story: [
        { at: "1970-01-01T00:00:01.000Z", event: "charged", amount: 12.5, actor: "service" },
        {
          ...{ ...tried, provider: "fal", state: "refused", detail: "full", ref: null },
          ...{ at: "1970-01-01T00:00:03.000Z", event: "sent", number: 1 },
        },
        { ...tried, at: "1970-01-01T00:00:04.000Z", event: "sent", number: 2 },
        { ...tried, at: "1970-01-01T00:00:05.000Z", event: "accepted" },
        { at: "1970-01-01T00:00:09.000Z", event: "refunded", amount: 12.5, actor: "service" },
        { at: "1970-01-01T00:00:09.000Z", event: "failed", job_id: "music_1", reason: "provider" },
      ],
    });
    expect((await tool.ctl("job show music_1")).out).toContain("sent to fal (try 1, refused): full");
  });

  test.each([
    ["order show 999", 'there is no order "999"'],
    [`order show ${"9".repeat(400)}`, `there is no order "${"9".repeat(400)}"`],
    ["job show music_1", 'there is no job "music_1"'],
    ["job show 0", 'there is no job "0"'],
  ])("%s is a failure in one line", async (command, words) => {
    await deliveredOrder(desk);
    expect(await tool.failure(command)).toBe(words);
  });
});

describe("ctl refund", () => {
  test("returns an order's money once, with the record and the notice of the chat", async () => {
    const { number } = await deliveredOrder(desk);
    const once = { order: number, amount: 10, balance: 100 };
    expect(await tool.json(`refund ${number} --reason blurred`)).toEqual({
      ...once,
      repeated: false,
      told: true,
    });
    expect(await tool.json(`refund ${number}`)).toEqual({ ...once, repeated: true, told: false });
    expect(await balance()).toBe(100_00);
    expect(desk.toldTo(ANN.id).filter((text) => text.includes("returned to you"))).toEqual([
      t("told-refund", { sum: money(10_00), number: String(number), model: "Nano", balance: money(100_00) }),
    ]);
    expect(desk.acts().filter(({ act }) => act === "refund")).toMatchObject([
      { actor: "ctl", subject: "order:one", reason: "blurred", before: { kopecks: 90_00 } },
    ]);
    expect(await tool.json("job show 1")).toMatchObject({
      order: number,
      origin: "bot",
      story: expect.arrayContaining([{ at: TIME, event: "refunded", amount: 10, actor: "ctl" }]),
    });
  });

  test("begins the refund of a payment, which the running service ends", async () => {
    const { users, payments } = desk.core.core.accounts;
    await users.idOf({ id: ANN.id, name: "Ann" });
    await paidInvoice(payments, { userId: ANN.id, price: 50, kopecks: asKopecks(50_00) });
    await desk.core.spend(ANN.id, 20_00);
    expect(await tool.failure("refund 1")).toBe('there is no order "1"; the payment is P-1');
    expect(await tool.failure("refund P-1")).toBe(
      "the balance is only 30 RUB: with --owe the rest becomes a debt",
    );
    expect(await balance()).toBe(30_00);
    for (let n = 0; n < 2; n += 1)
      expect(await tool.json("refund P-1 --owe")).toEqual({ payment: "P-1", state: "refunding" });
    expect(await balance()).toBe(0);
    const asked: unknown[] = [];
    const till = {
      name: STARS,
      refund: async (payment: unknown) => {
        asked.push(payment);
        return { kind: "done" as const };
      },
    };
    expect(await payments.settleRefunds(till)).toMatchObject([{ kind: "refunded", owedKopecks: 20_00 }]);
    expect(asked).toHaveLength(1);
    expect(await tool.json("refund p1")).toEqual({ payment: "P-1", state: "refunded" });
    expect(await tool.failure("refund P-2")).toBe("there is no payment P-2");
    const withoutTill = operator({ dataDir: desk.core.directory, tills: [] });
    expect(await withoutTill.failure("refund P-1")).toBe(
      "P-1 was paid at stars, which the settings do not name: only a till returns money",
    );
    expect(desk.acts().filter(({ act }) => act === "refund")).toMatchObject([{ actor: "ctl" }]);
  });
});

describe("ctl ban and unban", () => {
  test("stop a person's orders and allow them again, with both told and a row for each act", async () => {
    const banned = { telegram_id: ANN.id, banned: true, reason: "spam", until: TIME, told: true };
    expect(await tool.json(`ban ${ANN.id} --reason spam --until 7d`)).toEqual(banned);
    const ban = desk.core.core.accounts.users.banOf(ANN.id);
    expect(ban).toMatchObject({ reason: "spam" });
    expect(desk.toldTo(ANN.id).at(-1)).toContain(t("told-ban"));
    expect(await tool.json(`unban ${ANN.id}`)).toEqual({ telegram_id: ANN.id, banned: false, told: true });
    expect(desk.toldTo(ANN.id).at(-1)).toBe(t("told-unban"));
    expect(await tool.json(`unban ${ANN.id}`)).toEqual({ telegram_id: ANN.id, banned: false, told: false });
    expect(desk.acts()).toMatchObject([
      { act: "unban", actor: "ctl" },
      { act: "ban", actor: "ctl", reason: "spam" },
    ]);
  });

  test("say where the person could not be told, and are done all the same", async () => {
    desk.telegram.failNext("sendMessage", refusal(403, "Forbidden: bot was blocked by the user"));
    expect(await tool.json(`ban ${ANN.id}`)).toMatchObject({ banned: true, until: null, told: false });
    expect(desk.core.core.accounts.users.banOf(ANN.id)).toBeDefined();
  });

  test.each([
    [`ban ${MAX.id}`, `${MAX.id} is an admin, who cannot be banned`],
    [`ban ${BORIS.id}`, `nobody with the id ${BORIS.id} has written to the bot`],
    ["ban 0", '"0" is not the number of a person'],
    [`ban ${ANN.id} --until soon`, '"soon" is no time to come such as 12h, 7d, 2w or 2026-12-31'],
    [`ban ${ANN.id} --until 2020-01-01`, '"2020-01-01" is no time to come such as 12h, 7d, 2w or 2026-12-31'],
    [`ban ${ANN.id} --reason ${"x".repeat(201)}`, "--reason has 201 characters: at most 200 are kept"],
    [`limit ${ANN.id} 5`, "limits are for people who share an account: CORE=api with CORE_API_KEY"],
  ])("%s changes nothing and says why", async (command, words) => {
    expect(await tool.failure(command)).toBe(words);
    expect(desk.acts()).toEqual([]);
  });
});

describe("with the core elsewhere", () => {
  const elsewhere = () =>
    operator({ dataDir: desk.core.directory, isCoreElsewhere: true, isAccountShared: true });

  test("limit sets, shows and removes what a person may spend in a month", async () => {
    const { json, failure } = elsewhere();
    const none = { telegram_id: ANN.id, limit: null, spent: 0, left: null, renews_at: TIME };
    expect(await json(`limit ${ANN.id}`)).toEqual(none);
    for (let n = 0; n < 2; n += 1)
      expect(await json(`limit ${ANN.id} 500`)).toEqual({ ...none, limit: 500, left: 500 });
    const spending = new Spending(desk.core.database, systemClock);
    expect(spending.allowanceOf(ANN.id)).toMatchObject({ limitKopecks: 500_00 });
    expect(await json(`limit ${ANN.id} off`)).toEqual(none);
    expect(await failure(`limit ${ANN.id} much`)).toContain("neither rubles");
  });

  test("an order is shown without what is there, and what is about accounts says where they are", async () => {
    const { number } = await desk.finishedOrder("two", ANN.id, [7]);
    const { json, failure } = elsewhere();
    expect(await json(`order show ${number}`)).toMatchObject({
      order: number,
      job_ids: ["7"],
      refundable: 0,
      story: [{ event: "confirmed", amount: 10 }],
    });
    for (const command of [`refund ${number}`, `ban ${ANN.id}`, `unban ${ANN.id}`, "job show 7"])
      expect(await failure(command)).toContain("the core is elsewhere (CORE=api)");
  });
});

test("a name has at most 200 characters", async () => {
  const { ctl, failure } = operator();
  expect(await failure(`account create --name ${"x".repeat(201)}`)).toBe(
    "--name has 201 characters: at most 200 are kept",
  );
  expect((await ctl(`account create --name ${"x".repeat(200)}`)).code).toBe(0);
  expect(await failure(`key create 1 --name ${"x".repeat(201)}`)).toContain("--name has 201");
  expect(await failure(`account credit 1 5 --reason ${"x".repeat(201)}`)).toContain("--reason has 201");
});
