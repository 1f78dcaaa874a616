import type { SimPath } from "./path.js";

const REFUND_GIVEN_BACK = `
  INSERT INTO ledger_entry (account_id, kind, amount, balance_after, actor, created_at)
  SELECT entry.account_id, 'credit', -amount, balance - amount, actor, entry.created_at
  FROM ledger_entry AS entry JOIN account ON account.id = entry.account_id
  WHERE kind = 'debit' AND actor = 'till:stars' ORDER BY entry.id DESC LIMIT 1`;

/** An admin gives back what orders and payments cost, with taps that come twice, also what was spent meanwhile. */
export const refunds: SimPath = {
  actsOf: ({ world, someone, admin, random }) => [
    [8, () => admin.press(/^ao:(ask|refund):/, `/order ${random.integer(1, 6)}`)],
    [2, () => admin.say(`/order ${random.integer(1, 6)}`)],
    [5, () => admin.press(/^rf:\d+:[rcRC]/, `/refund P-${random.integer(1, 4)}`)],
    [10, () => someone(2).buy()],
    // What is paid back after it is gone becomes a debt.
    [2, () => admin.say(`/debit ${someone(2).id} ${random.pick([300, 350, 570])}`)],
    [5, () => world.telegram.stars.refundElsewhere()],
  ],
  planted: {
    "a refund of an order that nobody wrote down": {
      after: {
        label: "order:refund",
        sql: "UPDATE job SET paid_back_at = NULL WHERE paid_back_at IS NOT NULL",
      },
    },
    "a refund of an order that was made twice": {
      after: {
        label: "order:refund",
        sql: `INSERT INTO ledger_entry
            (account_id, kind, amount, balance_after, reason, actor, order_id, job_id, created_at)
          SELECT entry.account_id, kind, amount, balance + amount, reason, 'service', order_id, job_id, entry.created_at
          FROM ledger_entry AS entry JOIN account ON account.id = entry.account_id
          WHERE reason = 'admin' ORDER BY entry.id DESC LIMIT 1`,
      },
    },
    "a refund elsewhere that is not written": { omitted: "till:payment-refund" },
    "a refund whose debit is given back": { after: { label: "till:payment-refund", sql: REFUND_GIVEN_BACK } },
    "a debt that is forgotten": { after: { label: "till:payment-refund", sql: "DELETE FROM till_debt" } },
  },
};
