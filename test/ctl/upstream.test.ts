import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { lockDataDir } from "../../src/database/service-lock.js";
import { type Clock, systemClock } from "../../src/platform/clock.js";
import { createManualClock } from "../support/manual-clock.js";
import { newFolder } from "../support/new-folder.js";
import { operator } from "./harness.js";

const DAY_MS = 24 * 3600 * 1000;

/** An operator with the services fal and kie, and a database to write the service's rows to. */
async function openOperator(catalogueFile?: string, clock: Clock = systemClock) {
  const tool = operator({
    upstreams: ["fal", "kie"],
    clock,
    ...(catalogueFile !== undefined && { catalogueFile }),
  });
  await tool.json("account create");
  const db = new Sqlite(join(tool.directory, "atelier.db"));
  const now = Date.now();
  const insertJob = db.prepare(`INSERT INTO job (account_id, origin, order_index, type, model_key, model,
    model_title, request, seed, cost, provider, status, is_refunded, failure, error, attempts, created_at,
    started_at, finished_at) VALUES (1, 'api', 0, @type, @model, 'm', 't', '{}', 0, @cost, @provider, @status,
    @refunded, @failure, @failure, 1, @at, @at, @at)`);
  const insertAttempt = db.prepare(`INSERT INTO attempt (uuid, job_id, no, provider, endpoint, operation,
    request_hash, state, ref, late, planned_at, submitted_at, deadline_at, detail, cost_amount, cost_currency,
    cost_source) VALUES (@uuid, @job, 1, @provider, 'e', '{}', 'h', @state, @ref, @late, 0, @at, 0, @detail, @amount,
    @currency, CASE WHEN @amount IS NULL THEN NULL ELSE 'upstream' END)`);
  let attempts = 0;
  return {
    ...tool,
    db,
    /** An ended job; `failed` with its refund. */
    job(
      provider: string,
      cost: number,
      { model = "nano-banana-2", failed = false, daysAgo = 0, type = "image" } = {},
    ) {
      const ending = failed
        ? { status: "error", refunded: 1, failure: "provider" }
        : { status: "done", refunded: 0, failure: null };
      const row = { type, model, cost, provider, ...ending, at: now - daysAgo * DAY_MS };
      return Number(insertJob.run(row).lastInsertRowid);
    },
    attempt(job: number, provider: string, change: Record<string, unknown> = {}) {
      attempts += 1;
      const row = {
        state: "stored",
        ref: '{"id":"x"}',
        late: 0,
        at: 0,
        detail: null,
        amount: null,
        currency: null,
      };
      insertAttempt.run({ uuid: `u${attempts}`, job, provider, ...row, ...change });
    },
    pause(provider: string, reason: string | null, state = "paused") {
      db.prepare("INSERT INTO upstream_state (provider, state, reason, since_at) VALUES (?, ?, ?, 0)").run(
        provider,
        state,
        reason,
      );
    },
  };
}

describe("ctl upstream", () => {
  test("list shows each service of PROVIDERS with its pause and the tasks that jobs wait for", async () => {
    const { json, ctl, job, attempt, pause } = await openOperator();
    const id = job("fal", 1000);
    for (const [n, state] of ["sending", "accepted", "ready", "stored", "ambiguous", "planned"].entries())
      attempt(id + n, "fal", { state });
    attempt(id + 10, "fal", { state: "accepted", late: 1 });
    pause("kie", "no_credit");
    expect(await json("upstream list")).toEqual([
      { provider: "fal", state: "up", in_flight: 3, paused_reason: null },
      { provider: "kie", state: "paused", in_flight: 0, paused_reason: "no_credit" },
    ]);
    expect((await ctl("upstream list")).out).toMatch(/^kie\s+paused\s+0\s+no_credit$/m);
  });

  test("resume ends a pause, and one that is not paused stays up", async () => {
    const { json, db, pause } = await openOperator();
    pause("fal", "key_refused");
    pause("kie", "locked");
    for (let n = 0; n < 2; n += 1)
      expect(await json("upstream resume fal")).toEqual({ provider: "fal", state: "up" });
    expect(db.prepare("SELECT provider FROM upstream_state").pluck().all()).toEqual(["kie"]);
  });

  /** A paused fal, whose service runs and is asked to resume; `answer` is what the command has printed. */
  async function askRunningService() {
    const clock = createManualClock();
    const tool = await openOperator(undefined, clock);
    tool.pause("fal", "no_credit");
    onTestFinished(lockDataDir(tool.directory));
    const asked = tool.db.prepare("SELECT resume_asked_at FROM upstream_state").pluck();
    const command: { answer?: Awaited<ReturnType<typeof tool.ctl>> } = {};
    const ended = tool.ctl("upstream resume fal --json").then((answer) => {
      command.answer = answer;
    });
    while (asked.get() === null) await clock.advance(0);
    return { ...tool, clock, command, ended };
  }

  test("resume answers once the running service has taken it", async () => {
    const { db, clock, command, ended } = await askRunningService();
    await clock.advance(5000);
    expect(command.answer).toBeUndefined();
    db.exec("DELETE FROM upstream_state");
    await clock.advance(1000);
    await ended;
    expect(command.answer).toMatchObject({ code: 0, out: expect.stringContaining('"state":"up"') });
  });

  test("resume says that a running service has not confirmed it, and leaves the request", async () => {
    const { db, clock, command, ended } = await askRunningService();
    while (!command.answer) await clock.advance(1000);
    await ended;
    expect(command.answer).toMatchObject({ code: 1, err: expect.stringContaining("has not confirmed") });
    expect(db.prepare("SELECT count(*) FROM upstream_state").pluck().get()).toBe(1);
  });

  test("resume refuses a name that PROVIDERS does not list", async () => {
    const { failure } = await openOperator();
    expect(await failure("upstream resume polza")).toBe('"polza" is no service of PROVIDERS (fal, kie)');
  });
});

describe("ctl attempt list", () => {
  test("shows attempts, newest first, of every state or of one", async () => {
    const { json, job, attempt } = await openOperator();
    const [image, song] = [job("fal", 1000), job("kie", 2500, { type: "music", model: "music:suno-v5" })];
    attempt(image, "fal", { state: "ambiguous", ref: null, at: Date.UTC(2026, 10, 1) });
    attempt(song, "kie", { state: "accepted", late: 1, ref: '{"taskId":"t"}', at: null });
    const ambiguous = {
      attempt_id: 1,
      job_id: "1",
      provider: "fal",
      state: "ambiguous",
      ref: null,
      late: false,
      submitted_at: "2026-11-01T00:00:00.000Z",
    };
    expect(await json("attempt list --state ambiguous")).toEqual([ambiguous]);
    expect(await json("attempt list")).toEqual([
      {
        attempt_id: 2,
        job_id: "music_2",
        provider: "kie",
        state: "accepted",
        ref: { taskId: "t" },
        late: true,
        submitted_at: null,
      },
      ambiguous,
    ]);
  });

  test("shows why one was refused or failed, in its line", async () => {
    const { ctl, json, job, attempt } = await openOperator();
    const id = job("fal", 1000, { failed: true });
    job("fal", 1000, { failed: true });
    const detail = "400 node 3 (VAELoader): Value not in list:\nvae_name: 'ae.safetensors'";
    attempt(id, "fal", { state: "refused", ref: null, detail });
    attempt(id + 1, "fal", { state: "failed", detail: "x".repeat(1000) });
    const [head, failed = "", refused] = (await ctl("attempt list")).out.split("\n");
    expect(head).toMatch(/ {2}reason$/);
    expect(refused).toMatch(
      /refused .* 400 node 3 \(VAELoader\): Value not in list: vae_name: 'ae\.safetensors'$/,
    );
    expect(failed).toMatch(/ x{299}…$/);
    expect(await json("attempt list")).toEqual([
      expect.not.objectContaining({ reason: expect.anything() }),
      expect.not.objectContaining({ reason: expect.anything() }),
    ]);
  });

  test("refuses an unknown state", async () => {
    const { failure } = await openOperator();
    expect(await failure("attempt list --state lost")).toMatch(/^"lost" is no state: planned, sending,/);
  });
});

describe("ctl stats", () => {
  /** The catalogue of the project with these rates. */
  function withRates(rates: Record<string, number>): string {
    const file = join(newFolder(), "catalogue.json");
    writeFileSync(
      file,
      JSON.stringify({ ...JSON.parse(readFileSync("data/catalogue.json", "utf8")), rates }),
    );
    return file;
  }

  test("sums income, refunds, cost and margin by model and provider", async () => {
    const { json, job, attempt } = await openOperator(withRates({ USD: 90 }));
    attempt(job("fal", 1000), "fal", { amount: 0.08, currency: "USD" });
    attempt(job("kie", 1500), "kie", { amount: 12, currency: "kie_credit" });
    // What was refunded, and asked all the same.
    attempt(job("kie", 1500, { failed: true }), "kie", { amount: 12.1, currency: "kie_credit", late: 1 });
    attempt(job("polza", 2000, { model: "z-image-turbo" }), "polza", { amount: 5.5, currency: "RUB" });
    job("local", 500, { model: "z-image-turbo" });
    const fox = "nano-banana-2";
    expect(await json("stats")).toEqual([
      {
        model: fox,
        provider: "fal",
        jobs: 1,
        income: 10,
        refunds: 0,
        cost: [{ amount: 0.08, currency: "USD" }],
        margin: 2.8,
      },
      {
        model: fox,
        provider: "kie",
        jobs: 2,
        income: 30,
        refunds: 15,
        cost: [{ amount: 24.1, currency: "kie_credit" }],
        margin: null,
      },
      { model: "z-image-turbo", provider: "local", jobs: 1, income: 5, refunds: 0, cost: [], margin: 5 },
      {
        model: "z-image-turbo",
        provider: "polza",
        jobs: 1,
        income: 20,
        refunds: 0,
        cost: [{ amount: 5.5, currency: "RUB" }],
        margin: 14.5,
      },
    ]);
  });

  test("knows no margin where a task was made for a cost that nobody told", async () => {
    const { json, job, attempt } = await openOperator();
    attempt(job("fal", 1000), "fal", { amount: 0.08, currency: "USD" });
    attempt(job("fal", 1000, { failed: true }), "fal", { state: "refused" });
    expect(await json("stats")).toMatchObject([{ income: 20, refunds: 10, margin: 2.8 }]);
    attempt(job("fal", 1000), "fal");
    expect(await json("stats")).toMatchObject([
      { income: 30, cost: [{ amount: 0.08, currency: "USD" }], margin: null },
    ]);
  });

  test("counts the jobs of the last days alone where it is asked to", async () => {
    const { json, job, attempt, failure } = await openOperator(withRates({ USD: 100 }));
    attempt(job("fal", 1000, { daysAgo: 10 }), "fal", { amount: 1, currency: "USD" });
    job("fal", 700, { daysAgo: 1 });
    expect(await json("stats --days 2")).toMatchObject([{ jobs: 1, income: 7, cost: [], margin: 7 }]);
    expect(await json("stats --days 30")).toMatchObject([{ jobs: 2, income: 17, margin: -83 }]);
    expect(await failure("stats --days 0")).toContain("is no number of days");
  });

  test("sums up with --summary what /stats shows", async () => {
    const { json, ctl, job, attempt } = await openOperator(withRates({ USD: 100 }));
    attempt(job("fal", 1000, { daysAgo: 10 }), "fal", { amount: 0.01, currency: "USD" });
    job("fal", 700, { daysAgo: 1, failed: true });
    await json("account credit 1 25");
    const none = { people_new: 0, people_returning: 0, top_ups: [] };
    const queue = { queue_waiting: 0, queue_generating: 0, queue_oldest_at: null };
    const money = { income: 7, refunds: 7, cost: 0, margin: 0, left_of_paid_in: 0 };
    const cameIn = { paid_in: 0, taken_back: 0, gifts: 0, rewards: 0, corrections: 25 };
    expect(await json("stats --summary --days 2")).toEqual({
      ...none,
      ...queue,
      ...money,
      ...cameIn,
      orders: 1,
      buyers: 1,
      failures: [{ model: expect.any(String), reason: "provider", jobs: 1 }],
    });
    expect(await json("stats --summary")).toMatchObject({ orders: 2, income: 17, cost: 1, margin: 9 });
    expect((await ctl("stats --summary")).out).toContain("income");
    expect((await ctl("stats")).out).toMatch(
      /^came in, RUB +amount\npaid_in +0\n[\s\S]*corrections +25\n\nmodel /,
    );
  });
});
