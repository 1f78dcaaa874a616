import { resolve } from "node:path";
import { openBackupDirectory } from "./backup/backup-directory.js";
import { keptBackups } from "./backup/backup-folder.js";
import { backupMetrics } from "./backup/backup-metrics.js";
import { makeInProcess } from "./backup/backup-process.js";
import { Backups } from "./backup/backups.js";
import { type MadeBackup, makeBackup } from "./backup/make-backup.js";
import { lastRestore } from "./backup/restored-store.js";
import type { Config } from "./config.js";
import type { Database } from "./database/database.js";
import { type Clock, systemClock } from "./platform/clock.js";
import type { Logger } from "./platform/logger.js";
import type { OperatorNotices } from "./ports/operator-notices.js";
import type { Collector } from "./ports/service.js";
import { programVersion } from "./program-version.js";

/** The service's own backups; without `BACKUP_DIR` there are none. */
export interface OwnBackups {
  start(): void;
  stop(): Promise<void>;
  collectors: readonly Collector[];
  /** Names what `/readyz` warns of. */
  warnings(): readonly string[];
}

const NO_BACKUPS: OwnBackups = {
  start: () => {},
  stop: async () => {},
  collectors: [],
  warnings: () => [],
};

export interface OwnBackupsOptions {
  config: Pick<Config, "backup" | "dataDir">;
  onFailure: (reason: string) => void;
  clock: Clock;
  logger: Logger;
}

/** Opens the folder of backups. Throws StartError. */
export function buildBackups({ config, onFailure, clock, logger }: OwnBackupsOptions): OwnBackups {
  const { directory, everyMs, keep, hasMedia } = config.backup;
  if (directory === undefined) return NO_BACKUPS;
  openBackupDirectory(directory, config.dataDir);
  const newest = keptBackups(directory, clock.now()).at(-1);
  const task = {
    dataDir: resolve(config.dataDir),
    directory: resolve(directory),
    keep,
    hasMedia,
    program: programVersion(),
  };
  const backups = new Backups({
    everyMs,
    lastMadeAt: newest && Date.parse(newest.manifest.made_at),
    make: (signal) => makeInProcess(task, { clock, signal }),
    onFailure,
    clock,
    logger,
  });
  return {
    start: () => backups.start(),
    stop: () => backups.stop(),
    collectors: [async () => backupMetrics(backups.status, clock.now())],
    warnings: () => (backups.status.isFailing ? ["backup_failed"] : []),
  };
}

/** Tells after a restore what services may know that this database does not: the log at each start, admins once. */
export function announceRestore(
  database: Database,
  { notices, logger }: { notices: OperatorNotices; logger: Logger },
): void {
  const restored = lastRestore(database);
  if (!restored) return;
  const { id, made_at, open_attempts: open, lost_attempts: lost } = restored;
  const madeAt = new Date(made_at).toISOString();
  logger.warn(
    { made_at: madeAt, open_attempts: open, lost_attempts: lost },
    "data restored from a backup: services may know attempts that this database does not; open ones are not sent again",
  );
  notices.tell(
    { kind: "restored", date: madeAt.slice(0, 16).replace("T", " "), open, lost: lost ?? -1 },
    { topic: "restored", content: `${id}` },
  );
}

/** Makes one backup now, beside a running service. Throws StartError. */
export function backupTo(target: string, { dataDir, backup }: Config): Promise<MadeBackup> {
  const { hasMedia } = backup;
  return makeBackup({ dataDir, target, hasMedia, program: programVersion(), clock: systemClock });
}
