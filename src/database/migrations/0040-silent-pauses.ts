import type { Migration } from "../migrate.js";

/** Who was told of a pause is kept where they are told. */
export const silentPauses: Migration = {
  name: "silent-pauses",
  sql: `ALTER TABLE upstream_pause DROP COLUMN announced_at;`,
};
