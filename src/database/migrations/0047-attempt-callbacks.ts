import type { Migration } from "../migrate.js";

/** Services may call when a task has ended: each attempt has an address of its own, of which only a hash is kept. */
export const attemptCallbacks: Migration = {
  name: "attempt-callbacks",
  sql: `
    -- SHA-256 of the token in the address, in hex; NULL where the service was given none.
    ALTER TABLE attempt ADD COLUMN callback_hash TEXT;
    CREATE UNIQUE INDEX attempt_callback ON attempt (provider, callback_hash) WHERE callback_hash IS NOT NULL;
  `,
};
