import type { Planted } from "../planted.js";
import type { Random } from "../random.js";
import { bans } from "./bans.js";
import { blocks } from "./blocks.js";
import { broadcasts } from "./broadcasts.js";
import { forgetting } from "./forgetting.js";
import { invitations } from "./invitations.js";
import { models } from "./models.js";
import { moderation } from "./moderation.js";
import { orderLimits } from "./order-limits.js";
import type { SimPath } from "./path.js";
import { promoCodes } from "./promo-codes.js";
import { refunds } from "./refunds.js";
import { welcomeCredits } from "./welcome-credits.js";
import { yookassa } from "./yookassa.js";

const SHARE_OF_WORLDS = 0.25;

/** Each has a file; a further one is a line here. */
export const PATHS: Readonly<Record<string, SimPath>> = {
  bans,
  blocks,
  broadcasts,
  forgetting,
  invitations,
  models,
  moderation,
  orderLimits,
  promoCodes,
  refunds,
  welcomeCredits,
  yookassa,
};

/** Faults of the paths, each in worlds that have its path. */
export const PLANTED_IN_PATHS: Readonly<Record<string, Planted>> = Object.fromEntries(
  Object.entries(PATHS).flatMap(([path, { planted }]) =>
    Object.entries(planted).map(([name, fault]) => [name, { ...fault, path }]),
  ),
);

/** Queries whose rows have not ended. */
export const OPEN_IN_PATHS: readonly string[] = Object.values(PATHS).flatMap(({ open = [] }) => open);

/** Draws the paths of a world. One with a fault has only the fault's, so that it is soon noticed. */
export function drawPaths(random: Random, planted: Planted | undefined): SimPath[] {
  const isDrawn = (name: string) => (planted ? name === planted.path : random.chance(SHARE_OF_WORLDS));
  return Object.entries(PATHS)
    .filter(([name]) => isDrawn(name))
    .map(([, path]) => path);
}
