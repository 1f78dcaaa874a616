import { Pool } from "undici";
import { expect, test } from "vitest";
import { asKopecks } from "../../../src/contract/price.js";
import { aBody } from "../../core/request/bodies.js";
import fc from "../../support/fast-check.js";
import { refusal } from "../harness.js";
import { startApi } from "./api.js";

const FOX = { type: "image", model_key: "gpt-image-2-5", prompt: "a fox" };

test("of two thousand concurrent POSTs on a balance for half of them, exactly half are accepted", async () => {
  const api = await startApi({ rubles: 6000 });
  // All two thousand are on their way before the first is answered.
  const pool = new Pool(api.url, { connections: 100, pipelining: 20 });
  const headers = { authorization: `Bearer ${api.key}` };
  const post = async () => {
    const options = { method: "POST", path: "/v1/generations", headers, body: JSON.stringify(FOX) } as const;
    const { statusCode, body } = await pool.request({ ...options, idempotent: true });
    return { status: statusCode, body: (await body.json()) as Record<string, unknown> };
  };
  const answers = await Promise.all(Array.from({ length: 2000 }, post));
  await pool.close();
  const accepted = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 402);
  expect([accepted.length, refused.length]).toEqual([1000, 1000]);
  for (const { body } of refused) {
    expect(body).toEqual(refusal("insufficient_funds", { balance: 0, cost_rub: 6 }));
  }
  expect(new Set(accepted.map(({ body }) => body.job_id)).size).toBe(1000);
  expect(await api.queued()).toBe(1000);
  const { balance, charges } = api.money();
  expect(balance).toBe(0);
  expect(charges).toHaveLength(1000);
  expect(charges.reduce((sum, { amount }) => sum + amount, 0)).toBe(-6000_00);
  expect(api.adminService.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
});

test("the API and the chat spend one balance", async () => {
  const api = await startApi();
  const ann = { id: 7, name: "Ann" };
  const person = await api.person(ann.id);
  const made = await api.core.accounts.keys.create(ann, "server");
  const headers = { authorization: `Bearer ${made?.key ?? ""}` };
  const balance = async () => [(await api.get("/balance", headers)).body.balance, await person.balance()];
  const rubles = (amount: number) => Array.from({ length: 2 }, () => ({ currency: "RUB", amount }));

  expect((await api.post(FOX, headers)).body).toMatchObject({ error: "insufficient_funds", balance: 0 });
  await api.person(ann.id, 12_50);
  expect(await balance(), "a credit in the chat is seen by the API").toEqual(rubles(12.5));
  expect((await api.post(FOX, headers)).status).toBe(200);
  expect(await balance(), "what the API spends is gone for the chat").toEqual(rubles(6.5));
  await person.submit({ ...FOX, type: "image" }, { id: "order", quotedKopecks: asKopecks(600) });
  expect(await balance(), "and the reverse").toEqual(rubles(0.5));
  expect((await api.post(FOX, headers)).body).toEqual(
    refusal("insufficient_funds", { balance: 0.5, cost_rub: 6 }),
  );
});

const bodies = fc.oneof(
  { arbitrary: aBody.map(textOf), weight: 8 },
  { arbitrary: fc.jsonValue().map(textOf), weight: 1 },
  { arbitrary: fc.string({ maxLength: 30 }), weight: 1 },
);

function textOf(value: unknown): string {
  return JSON.stringify(value);
}

test("no body is charged twice under an idempotency key, and a rejected one leaves the key free", async () => {
  const api = await startApi();
  let keys = 0;
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      keys += 1;
      const headers = { authorization: `Bearer ${api.key}`, "idempotency-key": `key ${keys}` };
      const before = api.money().charges.length;
      const first = await api.post(body, headers);
      const second = await api.post(body, headers);
      expect([second.status, second.body]).toEqual([first.status, first.body]);
      const isAccepted = first.status === 200;
      expect(second.headers.get("idempotent-replayed")).toBe(isAccepted ? "true" : null);
      expect(api.money().charges.length - before).toBe(isAccepted ? 1 : 0);
      const other = await api.post({ type: "image", prompt: `${keys}` }, headers);
      expect([other.status, other.body.error]).toEqual(
        isAccepted ? [422, "idempotency_key_reused"] : [200, undefined],
      );
      expect(api.money().charges.length - before).toBe(1);
    }),
    { numRuns: 150 },
  );
  expect(api.adminService.verifyLedger().mismatches).toBe(0);
});

test("no body causes a 500; none is charged without being accepted, or accepted without being charged", async () => {
  const api = await startApi();
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const before = api.money();
      const queued = await api.queued();
      const answer = await api.post(body);
      const { balance, charges } = api.money();
      const made = (await api.queued()) - queued;
      const spent = before.balance - balance;
      seen.add(answer.status === 200 ? "accepted" : String(answer.body.error));
      if (answer.status === 200) {
        expect(spent).toBe(Math.round(Number(answer.body.cost_rub) * 100));
        expect(spent).toBeGreaterThan(0);
        expect(charges.length).toBe(before.charges.length + 1);
        expect(made).toBe(Array.isArray(answer.body.job_ids) ? answer.body.job_ids.length : 1);
      } else {
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
        expect([spent, charges.length, made]).toEqual([0, before.charges.length, 0]);
      }
    }),
    { numRuns: 600 },
  );
  expect(seen.size, [...seen].join()).toBeGreaterThan(6);
  expect(seen).toContain("accepted");
  expect(api.adminService.verifyLedger().mismatches).toBe(0);
});
