import type { Migration } from "../migrate.js";

export const chosenSettings: Migration = {
  name: "chosen-settings",
  sql: `ALTER TABLE draft ADD COLUMN chosen TEXT NOT NULL DEFAULT '[]';`,
};
