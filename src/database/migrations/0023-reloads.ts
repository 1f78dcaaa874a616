import type { Migration } from "../migrate.js";

/** Lets the operator ask for more than the offers to be read anew. */
export const reloads: Migration = {
  name: "reloads",
  sql: `
    ALTER TABLE offers_reload ADD COLUMN what TEXT NOT NULL DEFAULT 'offers' CHECK (what IN ('offers', 'moderation'));
  `,
};
