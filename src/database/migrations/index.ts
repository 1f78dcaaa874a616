import type { Migration } from "../migrate.js";
import { baseline } from "./0001-baseline.js";

/** Every migration. A migration's position is its permanent number. */
export const MIGRATIONS: readonly Migration[] = [baseline];
