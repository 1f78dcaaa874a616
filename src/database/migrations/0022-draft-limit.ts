import type { Migration } from "../migrate.js";

/** Finds what a person has opened lately and not paid. */
export const draftLimit: Migration = {
  name: "draft-limit",
  sql: `
    CREATE INDEX draft_unpaid ON draft (user_id, updated_at) WHERE state IN ('cancelled', 'replaced');
  `,
};
