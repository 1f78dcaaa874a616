import { expect, test } from "vitest";
import type { UpstreamAdapter } from "../../../../src/providers/adapter.js";
import { upstreamCollector } from "../../../../src/providers/metrics.js";
import { BALANCE_EVERY_MS } from "../../../../src/providers/service-balance.js";
import { fakeAdapter } from "./fake-adapter.js";
import { answer, DONE, startFakeService } from "./fake-service.js";
import { openWorld } from "./harness.js";

const HOUR_MS = 3_600_000;

const question = (path: string) => ({
  call: { method: "GET", url: `https://api.fake.example/${path}` } as const,
  read: ({ status, text }: { status: number; text: string }) => (status === 200 ? Number(text) : undefined),
});

const adapter: UpstreamAdapter = {
  ...fakeAdapter(),
  balance: { currency: "USD", questions: [question("admin-balance"), question("balance")] },
};

/** A service that tells its balance at the second address, to which tasks cost 2. */
async function withBalance(given: number) {
  const service = await startFakeService();
  const account = { balance: given as number | undefined, asked: 0 };
  service.onGet = (response, _request, path) => {
    if (path === "/admin-balance") return answer(response, 403, {});
    if (path !== "/balance") return answer(response, 200, { ...DONE, cost: 2 });
    account.asked += 1;
    if (account.balance === undefined) answer(response, 500, {});
    else answer(response, 200, account.balance);
  };
  const world = await openWorld(service, { adapter });
  const low = () => world.notices.filter(({ kind }) => kind === "credit_low");
  const metrics = async () =>
    (await upstreamCollector([world.provider])())
      .filter(({ name }) => /balance|spent/.test(name))
      .map(({ samples }) => samples);
  const look = () => world.move(BALANCE_EVERY_MS);
  return { world, account, low, metrics, look };
}

test("the balance is asked every ten minutes, at the next address where one does not tell it", async () => {
  const { account, metrics, look, world } = await withBalance(9);
  await world.until("it was asked", () => account.asked === 1);
  const labels = { provider: "fake", currency: "USD" };
  expect(await metrics()).toEqual([[{ labels, value: 9 }], [{ labels, value: 0 }]]);
  await look();
  expect(account.asked).toBe(2);
});

test("operators are told once when the balance is below a day's spending, over restarts too", async () => {
  const { world, account, low, look } = await withBalance(5);
  await world.outcomeOf(1);
  await world.outcomeOf(2);
  await look();
  expect(low()).toEqual([]);
  await world.outcomeOf(3);
  await look();
  expect(low()).toEqual([{ kind: "credit_low", provider: "fake", currency: "USD", balance: 5, spent: 6 }]);
  await world.restart();
  await look();
  expect(low()).toHaveLength(1);
  // Topped up, and low again.
  account.balance = 6;
  await look();
  account.balance = 5.9;
  await look();
  expect(low()).toHaveLength(2);
});

test("what was spent more than a day ago counts no more", async () => {
  const { world, low } = await withBalance(3);
  await world.outcomeOf(1);
  await world.move(23 * HOUR_MS);
  await world.outcomeOf(2);
  await world.move(2 * HOUR_MS);
  expect(low()).toHaveLength(1);
  expect(world.provider.balance.current).toEqual({ currency: "USD", balance: 3, spentDay: 2 });
});

test("a service that does not tell its balance is left out", async () => {
  const { world, account, low, metrics, look } = await withBalance(1);
  await world.until("it was asked", () => account.asked === 1);
  account.balance = undefined;
  await look();
  expect(await metrics()).toEqual([[], []]);
  expect(low()).toEqual([]);
});
