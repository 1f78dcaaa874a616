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

const SHARE_OF_WORLDS = 0.12;

/** Each has a file; a further one is a line here. */
const NAMED = {
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
} as const satisfies Record<string, SimPath>;
export type PathName = keyof typeof NAMED;
export const PATHS: Readonly<Record<string, SimPath>> = NAMED;

/** Faults of the paths. */
export const PLANTED_IN_PATHS: Readonly<Record<string, Planted>> = Object.fromEntries(
  Object.entries(PATHS).flatMap(([path, { planted }]) =>
    Object.entries(planted).map(([name, fault]) => [name, { ...fault, path }]),
  ),
);

/** Queries whose rows have not ended. */
export const OPEN_IN_PATHS: readonly string[] = Object.values(PATHS).flatMap(({ open = [] }) => open);

/** Draws the paths of a world, beside those of its theme. */
export function drawPaths(random: Random, wanted: readonly PathName[]): SimPath[] {
  return Object.entries(PATHS)
    .filter(([name]) => random.chance(SHARE_OF_WORLDS) || wanted.some((one) => one === name))
    .map(([, path]) => path);
}
