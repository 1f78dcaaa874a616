import type { Integer } from "../platform/integer.js";
import { queryBuilder } from "./prepared.js";

/**
 * Every table of the database. The module that owns a table describes its columns once, in a `-table` file, and adds
 * it here with `declare module`; only its folder writes the table. `test/database/schema.test.ts` compares the
 * descriptions with the migrations. Those below are the database's own.
 */
export interface Schema {
  trusted_clock: TrustedClockRow;
  write_probe: WriteProbeRow;
}

/** Record of a clock that removes by age. Times in ms since the epoch. */
export interface TrustedClockRow {
  name: string;
  trusted_at: Integer;
  seen_at: Integer;
  doubted_since: Integer | null;
}

/** The one row that is written to see whether the disk takes it. */
interface WriteProbeRow {
  id: number;
  at: Integer;
}

/** Builds every statement of the service. A table whose time or sum is a plain number does not compile here. */
export const qb = queryBuilder<Schema>();
