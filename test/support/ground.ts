import type { Ground } from "../../src/database/ground.js";
import { noFailPoint } from "../../src/platform/fail-point.js";
import { systemIds } from "../../src/platform/ids.js";
import { silentLogger } from "./log.js";

/** The ground of a test: a database and a clock, and what else it says. */
export function groundOf(parts: Partial<Ground> & Pick<Ground, "database" | "clock">): Ground {
  return { ids: systemIds, logger: silentLogger(), failPoint: noFailPoint, ...parts };
}
