import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ageMs, type CancelTimer, type Clock, leftMs } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import type { Logger } from "../platform/logger.js";
import { counter, gauge, type Metric } from "../platform/metric.js";
import { Recurring } from "../platform/retry.js";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../platform/units.js";
import { runProgram } from "../workers/worker-pool.js";
import { type MadeBackup, makeBackup } from "./make-backup.js";

const WORKER_FILE = fileURLToPath(new URL("./backup-worker.js", import.meta.url));
/** More than a terabyte takes on a slow disk. */
const TIMEOUT_MS = 12 * HOUR_MS;

export interface BackupTask {
  dataDir: string;
  directory: string;
  keep: number;
  hasMedia: boolean;
  program: string;
}

/** What the process answers. */
export type BackupReply =
  | { kind: "made"; folder: string; files: number; bytes: number }
  | { kind: "failed"; reason: string };

/**
 * Makes a backup in a child process. Rejects with what failed, in one line.
 * @param workerFile default: the program beside this file
 */
export async function makeInProcess(
  task: BackupTask,
  signal: AbortSignal,
  workerFile: string = WORKER_FILE,
): Promise<Extract<BackupReply, { kind: "made" }>> {
  const output = await runProgram(workerFile, task, TIMEOUT_MS, signal);
  // A library may have written lines of its own.
  const [last = ""] = output.toString().trim().split("\n").slice(-1);
  const reply = JSON.parse(last) as BackupReply;
  if (reply.kind === "failed") throw new Error(reply.reason);
  return reply;
}

/** Longest pause after a failed backup. */
const RETRY_MS = 10 * MINUTE_MS;

interface BackupsOptions {
  everyMs: number;
  /** Moment of the newest backup, in ms since the epoch; undefined where there is none. */
  lastMadeAt: number | undefined;
  /** Makes one. `signal` ends it at once. */
  make: (signal: AbortSignal) => Promise<{ folder: string; files: number; bytes: number }>;
  /** Called at the first failure after a good one. */
  onFailure: (reason: string) => void;
  clock: Clock;
  logger: Logger;
}

/** What the operator is shown. Times in ms since the epoch. */
interface BackupStatus {
  lastMadeAt: number | undefined;
  isFailing: boolean;
  made: number;
  failed: number;
  /** Size and time of the last one that this process made. */
  bytes: number;
  durationMs: number;
}

/** Makes backups in turn, one at a time. A failed one is tried again before the next is due. */
export class Backups {
  readonly #status: BackupStatus;
  readonly #making: Recurring;
  #cancelStart: CancelTimer = () => {};

  constructor(private readonly options: BackupsOptions) {
    const { lastMadeAt, clock, everyMs } = options;
    const status = { lastMadeAt, isFailing: false, made: 0, failed: 0, bytes: 0, durationMs: 0 };
    this.#status = status;
    this.#making = new Recurring({
      clock,
      everyMs: () =>
        status.isFailing ? Math.min(everyMs, RETRY_MS) : Math.max(0, everyMs - status.durationMs),
      work: (signal) => this.#make(signal),
      onFailure: (error) => this.#fail(error),
    });
  }

  get status(): Readonly<BackupStatus> {
    return this.#status;
  }

  /** Makes the first one when the newest is old enough, such as now where there is none. */
  start(): void {
    const { clock, everyMs } = this.options;
    const { lastMadeAt } = this.#status;
    const delayMs = lastMadeAt === undefined ? 0 : leftMs(lastMadeAt + everyMs, clock.now(), everyMs);
    this.#cancelStart = clock.after(delayMs, () => this.#making.start());
  }

  /** Ends a backup that is being made: the next start makes it anew. */
  async stop(): Promise<void> {
    this.#cancelStart();
    await this.#making.stop();
  }

  async #make(signal: AbortSignal): Promise<void> {
    const { make, clock, logger } = this.options;
    const lastMadeAt = clock.now();
    const startedAt = clock.monotonic();
    const { folder, files, bytes } = await make(signal);
    const durationMs = clock.monotonic() - startedAt;
    const made = this.#status.made + 1;
    Object.assign(this.#status, { lastMadeAt, isFailing: false, made, bytes, durationMs });
    logger.info({ folder, files, bytes, duration_ms: Math.round(durationMs) }, "backup made");
  }

  #fail(error: unknown): void {
    const { onFailure, logger } = this.options;
    logger.error({ err: error }, "backup failed");
    if (!this.#status.isFailing) onFailure(reasonOf(error));
    this.#status.isFailing = true;
    this.#status.failed += 1;
  }
}

const BEFORE_UPDATE = /^\.?before-update-\d{8}T\d{6}Z(?:\.part)?$/;

/**
 * Makes the backup that leads back from an update of the schema, without media, which no update changes. Of such backups the
 * last one is kept.
 * @throws StartError nothing was changed
 */
export async function backupBeforeUpdate(
  directory: string,
  task: Pick<BackupTask, "dataDir" | "program">,
  clock: Clock,
): Promise<MadeBackup & { folder: string }> {
  const earlier = readdirSync(directory).filter((name) => BEFORE_UPDATE.test(name));
  const remove = (name: string) => rmSync(join(directory, name), { recursive: true, force: true });
  for (const name of earlier) if (name.startsWith(".")) remove(name);
  const name = `before-update-${new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, "")}`;
  const folder = join(directory, name);
  const made = await makeBackup({ ...task, target: folder, hasMedia: false, clock });
  for (const one of earlier) if (one !== name) remove(one);
  return { folder, ...made };
}

/** Shows how old the newest backup is, and how the last ones went. */
export function backupMetrics(status: BackupStatus, now: number): Metric[] {
  const { lastMadeAt, isFailing, made, failed, bytes, durationMs } = status;
  return [
    gauge(
      "atelier_backup_age_seconds",
      "Age of the newest whole backup; absent while there is none.",
      lastMadeAt === undefined ? [] : ageMs(lastMadeAt, now) / SECOND_MS,
    ),
    gauge("atelier_backup_failing", "1 after a backup failed, until one is made.", isFailing ? 1 : 0),
    counter(
      "atelier_backups_total",
      "Backups that were made and that failed, since the process began.",
      Object.entries({ made, failed }).map(([outcome, value]) => ({ labels: { outcome }, value })),
    ),
    gauge("atelier_backup_bytes", "Size of the last backup that this process made.", bytes),
    gauge(
      "atelier_backup_duration_seconds",
      "How long the last backup of this process took.",
      durationMs / SECOND_MS,
    ),
  ];
}
