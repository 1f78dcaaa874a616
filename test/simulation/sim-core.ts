import type { Database } from "../../src/database/database.js";
import type { Clock } from "../../src/platform/clock.js";
import type { FailPoint } from "../../src/platform/fail-point.js";
import type { Ids } from "../../src/platform/ids.js";
import type { Logger } from "../../src/platform/logger.js";
import type { Service } from "../../src/service/service.js";
import type { Surroundings } from "./surroundings.js";

/** What a process gives its core. */
export interface CoreParts {
  around: Surroundings;
  database: Database;
  /** Whose timers never fire once the process is dead. */
  clock: Clock;
  ids: Ids;
  logger: Logger;
  failPoint: FailPoint;
  isDead: () => boolean;
  whileAlive: <T>(call: () => Promise<T>) => Promise<T>;
}

/** Either way to run. */
export interface SimCore {
  service: Service;
  start(): Promise<void>;
  stop(): Promise<void>;
}
