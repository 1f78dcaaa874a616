import type { Database } from "../../src/database/database.js";
import type { RowReader } from "./rows.js";
import type { Rules } from "./rules.js";
import type { SimApi } from "./sim-api.js";
import type { SimFal } from "./sim-fal.js";
import type { SimMachine } from "./sim-machine.js";
import type { SimRenderer } from "./sim-renderer.js";
import type { SimTelegram } from "./sim-telegram.js";

/** What is judged: the rows, and what those elsewhere have seen. */
export interface Facts {
  rules: Rules;
  reader: RowReader;
  database: Database;
  telegram: SimTelegram;
  fal: SimFal;
  renderer: SimRenderer;
  api: SimApi;
  machines: readonly SimMachine[];
  crashes: number;
  /** Jobs of data that was lost, as `lostName` names them; undefined where none was. */
  lost: ReadonlySet<string> | undefined;
  /** Jobs whose files the disk has lost before anything of their orders was sent. */
  gone: ReadonlySet<number>;
  /** The disk or the database had no room for a while: what people sent meanwhile may be refused. */
  wasFull: boolean;
  /** No process died and no call to Telegram was lost: nothing may arrive twice. */
  isCalm: boolean;
}
