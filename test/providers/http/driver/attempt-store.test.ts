import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import type { Operation } from "../../../../src/catalogue/operation.js";
import type { Database } from "../../../../src/database/database.js";
import { migrate } from "../../../../src/database/migrate.js";
import { MIGRATIONS } from "../../../../src/database/schema.js";
import { ATTEMPT_STATES, type AttemptState } from "../../../../src/jobs/order-reader.js";
import { integer } from "../../../../src/platform/integer.js";
import { HOUR_MS } from "../../../../src/platform/units.js";
import { type Attempt, AttemptStore, canMove } from "../../../../src/providers/attempt-store.js";
import fc from "../../../support/fast-check.js";
import { openDatabase } from "../../../support/test-database.js";

const OPERATION: Operation = {
  endpoint: "tasks",
  input: { prompt: "fox" },
  output: { kind: "image", files: "/files/*", encoding: "url" },
  poll: { first_ms: 1000, every_ms: [1000], deadline_sec: 60 },
  cost: { amount: 0.08, currency: "USD", source: "catalogue" },
};
const ACCEPTANCE = {
  reference: { task: "t" },
  acceptedAt: integer(2),
  deadlineAt: integer(60),
  dueAt: integer(3),
};
const acceptanceOf = (id: number) => ({ ...ACCEPTANCE, reference: { task: `t-${id}` } });

function openStore(provider = "fake") {
  const database = openDatabase();
  return { database, store: new AttemptStore(database, provider) };
}

/** Plans an attempt, which is written when it is kept or sent. */
const plan = (
  store: AttemptStore,
  job_id: number,
  given: Partial<Parameters<AttemptStore["plan"]>[0]> = {},
) =>
  store.plan({
    uuid: `uuid-${job_id}-${Math.random()}`,
    job_id,
    no: store.historyOf(job_id).nextNo,
    operation: OPERATION,
    planned_at: integer(1),
    deadline_at: integer(61),
    ...given,
  });
async function written(moved: Promise<Attempt | undefined>): Promise<Attempt> {
  const attempt = await moved;
  if (!attempt) throw new Error("not written");
  return attempt;
}
const planned = (store: AttemptStore, jobId: number) => written(store.keep(plan(store, jobId)));
const sent = (store: AttemptStore, jobId: number, ...given: [at?: number, change?: object]) =>
  written(store.send(plan(store, jobId, given[1]), integer(given[0] ?? 1)));

type Move = (store: AttemptStore, id: number, database: Database) => Promise<unknown>;
const MOVES: Record<string, { to: AttemptState; move: Move }> = {
  send: {
    to: "sending",
    move: async (store, id) => {
      const attempt = store.find(id);
      return attempt && store.send(attempt, integer(1));
    },
  },
  unsend: { to: "planned", move: (store, id) => store.unsend(id, "throttled") },
  accept: { to: "accepted", move: (store, id) => store.accept(id, acceptanceOf(id)) },
  stored: {
    to: "stored",
    move: async (store, id, database) =>
      (await database.write("test", (tx) => store.storeIn(tx, id))) || undefined,
  },
  refuse: { to: "refused", move: (store, id) => store.refuse(id, "policy", "no") },
  fail: { to: "failed", move: (store, id) => store.fail(id, "no") },
  ambiguous: { to: "ambiguous", move: (store, id) => store.setAmbiguous(id, "reset", undefined) },
  cancel: {
    to: "cancelled",
    move: (store, id) => store.cancel(id, ATTEMPT_STATES, "gone"),
  },
};

test("an attempt that may have been accepted is never planned or sent again", () => {
  const reachable = (from: AttemptState, seen = new Set<AttemptState>()): Set<AttemptState> => {
    for (const to of ATTEMPT_STATES.filter((state) => canMove(from, state) && !seen.has(state)))
      reachable(to, seen.add(to));
    return seen;
  };
  for (const state of ATTEMPT_STATES.filter((one) => one !== "planned" && one !== "sending")) {
    expect(reachable(state)).not.toContain("sending");
    expect(reachable(state)).not.toContain("planned");
  }
  for (const end of ["refused", "failed", "cancelled"] as const) expect(reachable(end).size).toBe(0);
  expect(ATTEMPT_STATES.filter((from) => canMove(from, "sending"))).toEqual(["planned"]);
});

test("for any moves, a row changes as the table allows, keeps its reference, and is sent at most once between plans", async () => {
  const { store, database } = openStore();
  let jobs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...Object.keys(MOVES)), { maxLength: 12 }), async (names) => {
      jobs += 1;
      const { attempt_id: id } = await planned(store, jobs);
      let state: AttemptState = "planned";
      let hasReference = false;
      for (const name of names) {
        const { to, move } = MOVES[name] ?? expect.fail(name);
        const moved = await move(store, id, database);
        expect(moved !== undefined).toBe(canMove(state, to));
        if (moved) state = to;
        if (moved && to === "accepted") hasReference = true;
        const row = store.find(id);
        expect(row?.state).toBe(state);
        expect(row?.reference !== undefined).toBe(hasReference);
        if (state === "planned") expect(row?.submitted_at).toBeNull();
      }
    }),
    { numRuns: 60 },
  );
});

test("of two runs that plan an attempt of one job at once, only one sends", async () => {
  const { store } = openStore();
  const plans = [plan(store, 1), plan(store, 1)];
  const rows = await Promise.all(plans.map((one) => store.send(one, integer(1))));
  expect(rows.map((row) => row?.no)).toEqual([1, undefined]);
  expect(await store.keep(plans[1] as Attempt)).toBeUndefined();
});

test("an attempt that waited is sent with its latest request, whole with the prices of units", async () => {
  const { store } = openStore();
  const kept = await planned(store, 1);
  const operation: Operation = {
    ...OPERATION,
    api: "edits",
    input: { prompt: "fox", link: "fresh" },
    unit: { amount: 0.01, currency: "USD" },
    units: { amounts: { output_tokens: 0.00003 }, currency: "USD" },
  };
  const { attempt_id, uuid, no } = kept;
  const again = await written(store.send(store.plan({ ...kept, operation }), integer(1)));
  expect(again).toMatchObject({ attempt_id, uuid, no });
  expect(store.find(attempt_id)?.operation).toEqual(operation);
});

test("attempts of a job are counted over all services, and each service sees its own", async () => {
  const { store, database } = openStore();
  const other = new AttemptStore(database, "other");
  const first = await planned(store, 7);
  const second = await planned(other, 7);
  expect([first.no, second.no]).toEqual([1, 2]);
  expect(store.historyOf(7).latest?.attempt_id).toBe(first.attempt_id);
  expect(other.historyOf(7).latest?.attempt_id).toBe(second.attempt_id);
  expect(other.findByUuid(first.uuid)).toBeUndefined();
  await store.send(first, integer(5));
  expect([store.historyOf(7).sentCount, other.historyOf(7).sentCount]).toEqual([1, 0]);
  expect([store.submittedSince(integer(4)), store.submittedSince(integer(5))]).toEqual([[5], []]);
});

test.each([
  ["request_id", { request_id: "x", status_url: "https://a.example/1" }],
  ["task_id", { api: "veo", task_id: "x" }],
  ["prompt_id", { prompt_id: "x" }],
  ["job_id", { job_id: 12 }],
  ["id", { id: "x", warnings: "none" }],
  ["whatever it has", { task: "x" }],
])("a task is that of one attempt of its service, whose %s is the same", async (_name, reference) => {
  const { store, database } = openStore();
  const other = new AttemptStore(database, "other");
  const [first, second, elsewhere] = [await sent(store, 1), await sent(store, 2), await sent(other, 3)];
  const acceptance = { ...ACCEPTANCE, reference };
  expect(await store.accept(first.attempt_id, acceptance)).toMatchObject({ state: "accepted" });
  expect(await other.accept(elsewhere.attempt_id, acceptance)).toMatchObject({ state: "accepted" });
  expect(await store.accept(second.attempt_id, acceptance, true)).toBeUndefined();
  const again = "warnings" in reference ? { ...reference, warnings: "others" } : reference;
  expect(await store.accept(second.attempt_id, { ...acceptance, reference: again })).toMatchObject({
    state: "ambiguous",
    flagged: 1,
    due_at: null,
    cost_amount: 0.08,
    cost_currency: "USD",
    cost_source: "catalogue",
    detail: `the service named the task of attempt ${first.attempt_id}`,
  });
  expect(store.find(first.attempt_id)).toMatchObject({ state: "accepted", flagged: 0 });
});

test("the database itself gives a task of a service to one attempt", () => {
  const db = new Sqlite(":memory:");
  migrate(db, MIGRATIONS, true);
  const insert = db.prepare(
    `INSERT INTO attempt (uuid, job_id, no, provider, endpoint, operation, request_hash, state, task_id, planned_at,
       deadline_at) VALUES (?, ?, 1, ?, 'e', '{}', 'h', 'stored', ?, 1, 2)`,
  );
  insert.run("u1", 1, "fal", "a");
  insert.run("u2", 2, "kie", "a");
  insert.run("u3", 3, "fal", null);
  insert.run("u4", 4, "fal", null);
  expect(() => insert.run("u5", 5, "fal", "a")).toThrow("UNIQUE");
});

test("a postponed poll does not wake an attempt that has ended", async () => {
  const { store } = openStore();
  const { attempt_id: id } = await sent(store, 1);
  await store.accept(id, ACCEPTANCE);
  expect(store.due(integer(10), 5)).toMatchObject([{ id: String(id), dueAt: 3 }]);
  expect(store.nextDueAfter(integer(2))).toBe(3);
  await store.refuse(id, "policy", "no");
  await store.postpone(String(id), integer(99));
  expect(store.due(integer(1000), 5)).toEqual([]);
  expect(store.nextDueAfter(integer(0))).toBeUndefined();
});

test("a look-up is told of other attempts of the same request at that time, and of no others", async () => {
  const { store } = openStore();
  const submit = (jobId: number, submittedAt: number, prompt = "fox") => {
    const operation: Operation = { ...OPERATION, input: { prompt } };
    return sent(store, jobId, submittedAt, { operation });
  };
  const doubtful = await submit(1, 10_000);
  for (const [jobId, submittedAt, prompt] of [
    [2, 9500, "fox"],
    [3, 10_000 - 2 * HOUR_MS, "fox"],
    [4, 10_000, "cat"],
  ] as const) {
    const { attempt_id: id } = await submit(jobId, submittedAt, prompt);
    await store.accept(id, { ...ACCEPTANCE, reference: { task: `of-${jobId}` } });
  }
  expect(store.tasksLike(doubtful)).toEqual([{ task: "of-2" }]);
});

test("after the clock was set back, an older task is due within half a minute, one past its deadline within an hour", async () => {
  const { store } = openStore();
  const now = integer(1_000 * HOUR_MS);
  const before = integer(now + 25 * HOUR_MS);
  const accepted = async (sinceMs: number) => {
    const at = integer(before - sinceMs);
    const times = { planned_at: at, deadline_at: integer(at + 60_000) };
    const { attempt_id: id } = await sent(store, 1, at, times);
    const dueAt = integer(before + 2000);
    await store.accept(id, { ...acceptanceOf(id), acceptedAt: at, deadlineAt: times.deadline_at, dueAt });
    return id;
  };
  const old = await accepted(30 * HOUR_MS);
  const late = await accepted(31 * HOUR_MS);
  await store.markLate(late, integer(before + HOUR_MS));
  await store.rewind(now);
  expect(store.find(old)).toMatchObject({ due_at: now + 30_000, accepted_at: before - 30 * HOUR_MS });
  expect(store.find(late)?.due_at).toBe(now + HOUR_MS);
});
