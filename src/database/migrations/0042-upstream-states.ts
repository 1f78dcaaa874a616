import type { Migration } from "../migrate.js";

/**
 * A service may also be throttled or unreachable, and its balance at a refusal for credit is remembered. Admins have
 * one message an episode, which is edited.
 */
export const upstreamStates: Migration = {
  name: "upstream-states",
  sql: `
    CREATE TABLE upstream_state (
      provider TEXT PRIMARY KEY,
      state TEXT NOT NULL CHECK (state IN ('paused', 'throttled', 'unreachable')),
      reason TEXT CHECK (reason IN ('no_credit', 'locked', 'key_refused')),
      since_at INTEGER NOT NULL,
      next_try_at INTEGER,
      -- Of the account there, in its own unit, when the service refused a task for credit.
      balance REAL,
      CHECK ((state = 'paused') = (reason IS NOT NULL))
    ) STRICT, WITHOUT ROWID;
    INSERT INTO upstream_state (provider, state, reason, since_at)
      SELECT provider, 'paused', reason, since_at FROM upstream_pause;
    DROP TABLE upstream_pause;
    ALTER TABLE told_pause ADD COLUMN message_id INTEGER;
    ALTER TABLE told_pause ADD COLUMN shown TEXT NOT NULL DEFAULT '';
    -- Since when the service is up again: the row is kept for the rest of its episode.
    ALTER TABLE told_pause ADD COLUMN up_since INTEGER;
  `,
};
