import { existsSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { syncPath, writeNew } from "./durable-files.js";
import { DATABASE_FILE, LINK_SECRET_FILE, MEDIA_FOLDERS } from "./manifest.js";

/** Says, while it is there, that data is being exchanged. */
const PLAN_FILE = "restore.json";
/** What a restore may take the place of. Other files of DATA_DIR stay. */
const REPLACED = [
  DATABASE_FILE,
  `${DATABASE_FILE}-wal`,
  `${DATABASE_FILE}-shm`,
  LINK_SECRET_FILE,
  ...MEDIA_FOLDERS,
  "accepted-orders.spool",
  "references.spool",
  "upstream-answers",
];

const planSchema = z.object({
  /** Folders in DATA_DIR: of what comes, and of what was there. */
  stage: z.string().regex(/^\.restore-\w+$/),
  aside: z.string().regex(/^before-restore-\w+$/),
  /** Names that were there. */
  old: z.array(z.enum(REPLACED)),
});
export type SwapPlan = z.infer<typeof planSchema>;

/** Lists what is there that a stage takes the place of: a link secret only by another one. */
export function replacedBy(dataDir: string, stage: string): SwapPlan["old"] {
  const isStaying = (name: string) => name === LINK_SECRET_FILE && !existsSync(join(stage, name));
  return REPLACED.filter((name) => existsSync(join(dataDir, name)) && !isStaying(name));
}

export function isSwapping(dataDir: string): boolean {
  return existsSync(join(dataDir, PLAN_FILE));
}

/** Writes the plan; from then on `finishSwap` goes through with it, in this process or the next. */
export function beginSwap(dataDir: string, plan: SwapPlan): void {
  const draft = join(dataDir, `${PLAN_FILE}.new`);
  rmSync(draft, { force: true });
  writeNew(draft, JSON.stringify(plan));
  renameSync(draft, join(dataDir, PLAN_FILE));
  syncPath(dataDir);
}

/**
 * Moves the old data aside and the new in, each by one rename; done again after a crash, it goes on where that was.
 * @returns the folder with the old data; undefined where no swap has begun
 */
export function finishSwap(dataDir: string): string | undefined {
  if (!isSwapping(dataDir)) return undefined;
  const plan = planSchema.parse(JSON.parse(readFileSync(join(dataDir, PLAN_FILE), "utf8")));
  const aside = join(dataDir, plan.aside);
  const stage = join(dataDir, plan.stage);
  for (const name of plan.old)
    if (!existsSync(join(aside, name))) renameSync(join(dataDir, name), join(aside, name));
  syncPath(aside);
  syncPath(dataDir);
  for (const name of existsSync(stage) ? readdirSync(stage) : [])
    renameSync(join(stage, name), join(dataDir, name));
  syncPath(dataDir);
  if (existsSync(stage)) rmdirSync(stage);
  rmSync(join(dataDir, PLAN_FILE));
  syncPath(dataDir);
  return aside;
}
