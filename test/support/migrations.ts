import type { Migration } from "../../src/database/migrate.js";
import { MIGRATIONS } from "../../src/database/migrations/index.js";

/** The schema that a step was added to. */
export function stepsBefore(name: string): readonly Migration[] {
  const place = MIGRATIONS.findIndex((step) => step.name === name);
  if (place < 0) throw new Error(`no migration is called "${name}"`);
  return MIGRATIONS.slice(0, place);
}
