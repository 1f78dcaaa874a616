import { PLANTED, type Planted } from "../planted.js";
import type { Random } from "../random.js";
import type { Way } from "../way.js";
import { albums } from "./albums.js";
import { bans } from "./bans.js";
import { blocks } from "./blocks.js";
import { broadcasts } from "./broadcasts.js";
import { callbacks } from "./callbacks.js";
import { connected } from "./connected.js";
import { forgetting } from "./forgetting.js";
import { groups } from "./groups.js";
import { handOver } from "./hand-over.js";
import { invitations } from "./invitations.js";
import { models } from "./models.js";
import { moderation } from "./moderation.js";
import { orderLimits } from "./order-limits.js";
import type { SimPath } from "./path.js";
import { promoCodes } from "./promo-codes.js";
import { refunds } from "./refunds.js";
import { restores } from "./restores.js";
import { support } from "./support.js";
import { welcomeCredits } from "./welcome-credits.js";
import { yookassa } from "./yookassa.js";

const SHARE_OF_WORLDS = 0.12;

/** Each has a file; a further one is a line here. */
const NAMED = {
  albums,
  bans,
  blocks,
  broadcasts,
  callbacks,
  connected,
  forgetting,
  groups,
  handOver,
  invitations,
  models,
  moderation,
  orderLimits,
  promoCodes,
  refunds,
  restores,
  support,
  welcomeCredits,
  yookassa,
} as const satisfies Record<string, SimPath>;
export type PathName = keyof typeof NAMED;
export const PATHS: Readonly<Record<string, SimPath>> = NAMED;

/** Faults beside the code, those of the paths among them. */
export const ALL_PLANTED: Readonly<Record<string, Planted>> = {
  ...PLANTED,
  ...Object.fromEntries(
    Object.entries(PATHS).flatMap(([path, { planted, way }]) =>
      Object.entries(planted).map(([name, fault]) => [name, { ...(way && { way }), ...fault, path }]),
    ),
  ),
};

/** Queries whose rows have not ended. */
export const OPEN_IN_PATHS: readonly string[] = Object.values(PATHS).flatMap(({ open = [] }) => open);

/** Draws the paths of a world: those of its theme, and beside them what these do not exclude. */
export function drawPaths(
  random: Random,
  way: Way,
  wanted: readonly PathName[],
  beside: readonly PathName[],
): SimPath[] {
  const drawn = Object.keys(PATHS).filter(() => random.chance(SHARE_OF_WORLDS));
  const chosen = new Set<SimPath>();
  for (const name of [...wanted, ...beside, ...drawn]) {
    const path = PATHS[name];
    if (path && (path.way ?? "embedded") === way && ![...chosen].some((other) => clash(path, other)))
      chosen.add(path);
  }
  return [...chosen];
}

export function namesOf(paths: readonly SimPath[]): string[] {
  return Object.entries(PATHS).flatMap(([name, path]) => (paths.includes(path) ? [name] : []));
}

function clash(one: SimPath, other: SimPath): boolean {
  const isExcluded = (by: SimPath, path: SimPath) =>
    by.excludes?.some((name) => PATHS[name] === path) ?? false;
  return isExcluded(one, other) || isExcluded(other, one);
}
