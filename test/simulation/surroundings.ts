import type { CatalogueSource } from "../../src/catalogue/catalogue.js";
import type { Clock } from "../../src/platform/clock.js";
import type { Ids } from "../../src/platform/ids.js";
import type { MemoryDisk } from "./memory-disk.js";
import type { Planted } from "./planted.js";
import type { Random } from "./random.js";
import type { Rules } from "./rules.js";
import type { SimApi } from "./sim-api.js";
import type { SimFal } from "./sim-fal.js";
import type { SimRenderer } from "./sim-renderer.js";
import type { SimTelegram } from "./sim-telegram.js";
import type { Way } from "./way.js";

export const ADMIN_ID = 9;
/** The chat of operators, where people of support have their topics. */
export const SUPPORT_CHAT = -700;

/** What outlives a process. */
export interface Surroundings {
  way: Way;
  directory: string;
  clock: Clock;
  ids: Ids;
  random: Random;
  disk: MemoryDisk;
  telegram: SimTelegram;
  offers: CatalogueSource;
  fal: SimFal;
  renderer: SimRenderer;
  api: SimApi;
  rules: Rules;
  planted: Planted;
  /** Called at each place where a process may die, with its name. */
  onFailPoint: (name: string) => void;
}
