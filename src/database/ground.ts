import type { Clock } from "../platform/clock.js";
import type { FailPoint } from "../platform/fail-point.js";
import type { Ids } from "../platform/ids.js";
import type { Logger } from "../platform/logger.js";
import type { Database } from "./database.js";

/** What every module stands on. It is the first that a constructor takes; the modules that it uses follow by name. */
export interface Ground {
  readonly database: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly failPoint: FailPoint;
}
