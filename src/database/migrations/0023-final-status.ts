import type { Migration } from "../migrate.js";

export const finalStatus: Migration = {
  name: "final-status",
  sql: `ALTER TABLE last_words RENAME TO final_status;`,
};
