import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { createPromoCode, redeemPromo } from "../../../src/accounts/promo-book.js";
import { asKopecks } from "../../../src/contract/price.js";
import { readSummary } from "../../../src/jobs/margin-report.js";
import { openTestCore } from "../../support/core.js";
import fc from "../../support/fast-check.js";
import { silentLogger } from "../../support/log.js";
import { createStubProvider } from "../../support/stub-provider.js";
import { FakeTill } from "../../support/till.js";

const HOUR_MS = 3_600_000;

const step = fc.record({
  kind: fc.constantFrom(
    ...["order", "fail", "lose", "pay", "pay elsewhere", "refund", "refund undone", "credit", "promo"],
  ),
  hours: fc.integer({ min: 0, max: 5 }),
  price: fc.integer({ min: 1, max: 9 }),
});

interface Owed {
  actor: string;
  reason: string | null;
  amount: number;
  created_at: number;
}

interface Entry extends Owed {
  kind: string;
  job_at: number | null;
}

test("the figures of any period are what the ledger says", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.nat(40), fc.nat(40), async (steps, a, b) => {
      const stub = createStubProvider();
      const world = openTestCore({
        settings: {
          inviteSums: { inviterKopecks: asKopecks(3_00), invitedKopecks: asKopecks(2_00) },
        },
        provider: Object.assign(stub, {
          run: async ({ request: { prompt } }: { request: { prompt?: unknown } }) =>
            prompt === "fail"
              ? { kind: "failed", failure: "provider", error: "No." }
              : { kind: "made", files: [] },
        }) as never,
      });
      const began = world.clock.now();
      const ann = await world.begun(1_000_00);
      const { payments, invites } = world.core.accounts;
      await invites?.bind({ id: 1, name: "person 1" }, await invites.codeOf({ id: 2, name: "Boris" }), began);
      const till = new FakeTill();
      let paid = 0;
      for (const [index, { kind, hours, price }] of steps.entries()) {
        await world.clock.advance(hours * HOUR_MS);
        if (kind === "order" || kind === "fail" || kind === "lose") {
          const { job_id } = await world.made(ann, `${index}`, {
            type: "image",
            model_key: "nano-banana-2",
            prompt: kind,
          });
          if (kind === "lose") await ann.refundLost(`${index}`, [job_id]);
        }
        if (kind === "pay" || kind === "pay elsewhere") {
          const name = kind === "pay" ? "stars" : "yookassa";
          const pack = { till: name, userId: 1, price, kopecks: asKopecks(price * 100) };
          const { ref } = await payments.openInvoice(pack);
          const charge = { chargeId: `c${index}`, invoiceRef: ref, userId: 1, price, paidAt: 0 };
          paid = (await payments.take({ till: name, ...charge })).payment.id;
        }
        if ((kind === "refund" || kind === "refund undone") && paid > 0) {
          if (kind === "refund undone") till.answers.push({ kind: "refused", reason: "too_old" });
          await payments.refund({ paymentId: paid, actor: "a", reason: null, mayOwe: true }, till);
          till.answers.length = 0;
        }
        if (kind === "credit") await world.person(1, price * 100);
        if (kind === "promo") {
          const terms = {
            kopecks: asKopecks(price * 10),
            usesMax: 1,
            validUntil: world.clock.now() + HOUR_MS,
          };
          await createPromoCode(world, { code: `PROMO${index}`, ...terms });
          await redeemPromo({ ...world, logger: silentLogger() }, 1, `PROMO${index}`);
        }
      }
      const [from, until] = [began + Math.min(a, b) * HOUR_MS, began + Math.max(a, b) * HOUR_MS];
      const middle = Math.floor((from + until) / 2);
      const { whole, parts, moneyIn } = await readSummary(
        world.database,
        world.core.accounts.rates(),
        { from, until },
        [
          { from, until: middle },
          { from: middle, until },
        ],
      );
      const db = new Sqlite(join(world.directory, "atelier.db"), { readonly: true });
      const entries = db
        .prepare<[], Entry>(
          `SELECT e.*, j.created_at AS job_at FROM ledger_entry e LEFT JOIN job j ON j.id = e.job_id`,
        )
        .all();
      const owed = db.prepare<[], Owed>("SELECT * FROM till_debt_entry").all();
      db.close();
      const isIn = (at: number | null) => at !== null && at >= from && at < until;
      const sumOf = (which: (entry: Entry) => boolean) =>
        entries.filter(which).reduce((sum, { amount }) => sum + amount, 0);
      const owedOf = (which: (entry: Owed) => boolean) =>
        owed
          .filter((entry) => isIn(entry.created_at) && which(entry))
          .reduce((sum, { amount }) => sum + amount, 0);
      expect(whole.income).toBe(0 - sumOf(({ kind, created_at }) => kind === "charge" && isIn(created_at)));
      expect(whole.refunds).toBe(sumOf(({ kind, job_at }) => kind === "refund" && isIn(job_at)));
      for (const name of ["income", "refunds", "orders"] as const)
        expect(parts.reduce((sum, part) => sum + part[name], 0)).toBe(whole[name]);
      for (const name of ["stars", "yookassa"]) {
        const found = moneyIn.tills.find((one) => one.till === name) ?? { paid: 0, returned: 0 };
        const ofTill = ({ actor, created_at }: Entry) => actor === `till:${name}` && isIn(created_at);
        expect(found.paid - found.returned).toBe(
          sumOf(ofTill) + owedOf(({ actor }) => actor === `till:${name}`),
        );
        expect(found.paid).toBe(sumOf((entry) => ofTill(entry) && entry.reason === "top-up"));
      }
      const isOf = (reason: string) => (entry: Entry) => entry.reason === reason && isIn(entry.created_at);
      expect(moneyIn.gifts).toBe(sumOf(isOf("promo")) + sumOf(isOf("welcome")));
      const ofReward = (reason: string) => sumOf(isOf(reason)) + owedOf((entry) => entry.reason === reason);
      expect(moneyIn.rewards).toBe(ofReward("invitation") + ofReward("invitation taken back"));
      // Nothing comes to balances, or leaves them but for orders, that is in none of the sums.
      const moved = ({ kind, created_at }: Entry) =>
        (kind === "credit" || kind === "debit") && isIn(created_at);
      const { gifts, rewards, corrections } = moneyIn;
      expect(moneyIn.paid - moneyIn.returned + gifts + rewards + corrections).toBe(
        sumOf(moved) + sumOfDebtsPaid(entries.filter(moved)) + owedOf(() => true),
      );
      await world.close();
    }),
    { numRuns: 12 },
  );
});

/** What pays a debt was taken back when it became one. */
function sumOfDebtsPaid(entries: readonly Entry[]): number {
  return entries.reduce((sum, { reason, amount }) => sum - (reason === "debt of a refund" ? amount : 0), 0);
}
