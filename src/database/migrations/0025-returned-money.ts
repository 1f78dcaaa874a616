import type { Migration } from "../migrate.js";

/** Binds rewards of invitations to payments, and keeps the currency and the returned part of a payment. */
export const returnedMoney: Migration = {
  name: "returned-money",
  sql: `
    ALTER TABLE invite ADD COLUMN payment_id INTEGER REFERENCES till_payment (id);
    ALTER TABLE invite ADD COLUMN rewards INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE invite ADD COLUMN taken_back_at INTEGER;
    ALTER TABLE invite ADD COLUMN inviter_owed_kopecks INTEGER NOT NULL DEFAULT 0 CHECK (inviter_owed_kopecks >= 0);
    ALTER TABLE invite ADD COLUMN invited_owed_kopecks INTEGER NOT NULL DEFAULT 0 CHECK (invited_owed_kopecks >= 0);
    -- A reward and the top-up that earned it were written at the same moment.
    UPDATE invite SET rewards = 1, payment_id = (
      SELECT min(payment.id) FROM till_payment AS payment JOIN ledger_entry AS entry
        ON entry.idempotency_key = 'topup:' || payment.till || ':' || payment.charge_id
      WHERE payment.account_id = invite.invited_id AND entry.created_at = invite.rewarded_at
        AND payment.kopecks >= max(invite.inviter_kopecks, invite.invited_kopecks))
    WHERE rewarded_at IS NOT NULL;

    -- Null: the till's own.
    ALTER TABLE till_payment ADD COLUMN currency TEXT;
    ALTER TABLE till_payment ADD COLUMN returned INTEGER NOT NULL DEFAULT 0 CHECK (returned BETWEEN 0 AND price);
    CREATE TRIGGER till_payment_currency BEFORE UPDATE OF currency ON till_payment
      BEGIN SELECT RAISE(ABORT, 'what a till reported is never edited'); END;
  `,
};
