import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { verifyLedger } from "./accounts/ledger-store.js";
import { type CheckedBackup, checkBackup } from "./backup/check-backup.js";
import { copyDurably, linkOrCopy, mediaPaths, syncFolders } from "./backup/make-backup.js";
import { DATABASE_FILE, LINK_SECRET_FILE, MEDIA_FOLDERS } from "./backup/manifest.js";
import { beginSwap, finishSwap, isSwapping, lastRestore, recordRestore, replacedBy } from "./backup/swap.js";
import { DRAFT_COLUMNS } from "./bot/card/draft-store.js";
import { forgetWaiting } from "./bot/inbox/inbox.js";
import { ORDER_JOBS, ORDER_REQUEST } from "./bot/orders/order.js";
import { DELIVERY_COLUMNS, retryParked } from "./bot/orders/order-store.js";
import { OVERRIDE_NOTE } from "./catalogue/model-overrides.js";
import type { Config } from "./config.js";
import {
  countedAfter,
  type DataBefore,
  type RestoreFacts,
  type RestoreReport,
  restoreFacts,
} from "./core/restore-facts.js";
import { Database, type DatabaseOptions } from "./database/database.js";
import { checkDatabase } from "./database/database-copy.js";
import { DatabaseOutdatedError, DatabaseTooNewError } from "./database/migrate.js";
import { continueSequences, readSequences } from "./database/prepared.js";
import { MIGRATIONS } from "./database/schema.js";
import { DataDirInUseError, lockDataDir } from "./database/service-lock.js";
import { JOB_OPERATION, JOB_REQUEST } from "./jobs/job-store.js";
import { systemClock } from "./platform/clock.js";
import { hasCode, reasonOf, StartError, settingFault } from "./platform/errors.js";
import { integer } from "./platform/integer.js";
import type { Logger } from "./platform/logger.js";
import { isWithin, makePrivate } from "./platform/private-files.js";
import { ATTEMPT_OPERATION, ATTEMPT_REFERENCE } from "./providers/attempt-store.js";

/** Files that SQLite opens for writing. */
const DATABASE_FILES = ["service.lock", DATABASE_FILE, `${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`];
/** Files in DATA_DIR that contain personal data, money or secrets. */
const PRIVATE_FILES = [
  ...DATABASE_FILES,
  LINK_SECRET_FILE,
  ...MEDIA_FOLDERS,
  ...["accepted-orders.spool", "references.spool"].flatMap((name) => [name, `${name}.reserve`]),
];

/**
 * Locks a data directory for one service, and closes its files to other users of the machine. Throws StartError.
 * @returns the unlock
 */
export function holdDataDir({ dataDir }: Pick<Config, "dataDir">, logger: Logger): () => void {
  const unlock = lockData(dataDir);
  const keptIn = finishSwap(dataDir);
  if (keptIn !== undefined) logger.warn({ kept_in: keptIn }, "a restore that was interrupted is finished");
  const paths = PRIVATE_FILES.map((name) => join(dataDir, name));
  for (const path of makePrivate(paths)) logger.warn({ path }, "other users may read a file of DATA_DIR");
  return unlock;
}

/** Opens the database of a data directory with all tables. Throws StartError, such as DatabaseTooNewError. */
export function openDatabase(
  { dataDir }: Pick<Config, "dataDir">,
  role: "service" | "tool",
  parts: Pick<DatabaseOptions, "failPoint" | "onUnknownOutcome"> = {},
): Database {
  const file = join(dataDir, DATABASE_FILE);
  if (isSwapping(dataDir))
    throw new StartError(
      "DATA_DIR: a restore was interrupted: start the service or restore again to finish it",
    );
  try {
    return Database.open({ file, ...parts, role });
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw dataFault(dataDir, file, error);
  }
}

/** Tells whether the next start of the service changes the schema of the data. Throws StartError. */
export async function isDataOutdated(config: Pick<Config, "dataDir">): Promise<boolean> {
  if (!existsSync(join(config.dataDir, DATABASE_FILE))) return false;
  try {
    await openDatabase(config, "tool").close();
    return false;
  } catch (error) {
    if (error instanceof DatabaseOutdatedError) return true;
    throw error;
  }
}

/** Locks a data directory for one process that writes all of it. Throws StartError. */
function lockData(directory: string): () => void {
  try {
    return lockDataDir(directory);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw dataFault(directory, directory, error);
  }
}

/** Reports a path of DATA_DIR that cannot be used, with the user and the right that is missing: SQLite names neither. */
function dataFault(dataDir: string, path: string, error: unknown): StartError {
  const lacking = lackingRight(resolve(dataDir));
  if (!lacking) return settingFault("DATA_DIR", `${path} cannot be used`, error);
  // As `chown` takes it.
  const user = `${process.getuid?.() ?? "?"}:${process.getgid?.() ?? "?"}`;
  const [uid = ""] = user.split(":");
  const fault = settingFault(
    "DATA_DIR",
    `${path} cannot be used`,
    `uid ${uid} lacks the right ${lacking.right} of ${lacking.path}`,
  );
  return new StartError(`${fault.message}: ${mendOf(lacking, user, resolve(dataDir))}`, { cause: error });
}

interface LackingRight {
  path: string;
  right: "r" | "w" | "x";
}

/** Returns the command that gives the right. What is above the data is nobody's to be given away. */
function mendOf({ path, right }: LackingRight, user: string, dataDir: string): string {
  const [uid = "", gid = ""] = user.split(":");
  if (String(statSync(path).uid) === uid) return `chmod u+rwX ${path}`;
  if (isWithin(path, dataDir)) return `chown -R ${user} ${dataDir}`;
  return right === "x" ? `chmod o+x ${path}` : `install -d -m 700 -o ${uid} -g ${gid} ${dataDir}`;
}

/** Finds the first right that is missing: of a folder, in which SQLite makes files, or of a file. */
function lackingRight(dataDir: string): LackingRight | undefined {
  const lacks = (path: string, right: LackingRight["right"]) => {
    try {
      accessSync(path, { r: constants.R_OK, w: constants.W_OK, x: constants.X_OK }[right]);
      return undefined;
    } catch (error) {
      return hasCode(error, "EACCES") ? { path, right } : undefined;
    }
  };
  const folders = foldersTo(dataDir);
  for (const folder of folders) {
    const lacking = lacks(folder, "x");
    if (lacking !== undefined) return lacking;
  }
  const files = DATABASE_FILES.map((name) => join(dataDir, name)).filter((file) => existsSync(file));
  const rights = [
    lacks(folders.at(-1) ?? dataDir, "w"),
    ...files.flatMap((file) => [lacks(file, "r"), lacks(file, "w")]),
  ];
  return rights.find((lacking) => lacking !== undefined);
}

/** Lists a folder and those above it that are there, from the root on. */
function foldersTo(folder: string): string[] {
  const parent = dirname(folder);
  const above = parent === folder ? [] : foldersTo(parent);
  return existsSync(folder) && statSync(folder).isDirectory() ? [...above, folder] : above;
}

interface RestoreOptions {
  folder: string;
  dataDir: string;
  /** False: data that is there stays, and what a restore would lose is told as an error. */
  mayReplace: boolean;
}

/** Steps that the schema took the place of are known too. */
const KNOWN_SCHEMA = Math.max(...MIGRATIONS.map(({ replaces }, place) => replaces?.number ?? place + 1));

/**
 * Puts a backup in the place of the data. Everything is checked and made ready beside the data before anything of it is
 * moved; a crash after that is finished by the next restore or start. Nothing is deleted.
 * @throws StartError with one line for the operator
 */
export async function restoreBackup({ folder, dataDir, mayReplace }: RestoreOptions): Promise<RestoreReport> {
  const { manifest, paths } = await checkBackup(folder, KNOWN_SCHEMA, systemClock.now());
  const unlock = lockStopped(dataDir);
  try {
    finishSwap(dataDir);
    removeStages(dataDir);
    const stamp = new Date(systemClock.now()).toISOString().replace(/[-:.]/g, "");
    const stage = join(dataDir, `.restore-${stamp}`);
    const found = await prepare(stage, { folder, dataDir, mayReplace }, { manifest, paths }).catch(
      (error) => {
        rmSync(stage, { recursive: true, force: true });
        throw error;
      },
    );
    return { ...found, keptIn: swap(dataDir, stamp) };
  } finally {
    unlock();
  }
}

function lockStopped(dataDir: string): () => void {
  try {
    return lockData(dataDir);
  } catch (error) {
    if (error instanceof DataDirInUseError) throw new StartError(`${error.message}: stop it first`);
    throw error;
  }
}

/** Makes the new data ready beside the old. */
async function prepare(
  stage: string,
  { folder, dataDir, mayReplace }: RestoreOptions,
  { manifest: { made_at: madeAt, media: hasMedia, schema }, paths }: CheckedBackup,
): Promise<Omit<RestoreReport, "keptIn">> {
  const file = join(stage, DATABASE_FILE);
  mkdirSync(stage, { mode: 0o700 });
  copyDurably(join(folder, DATABASE_FILE), file);
  const facts = await checkedFacts(file, folder, schema);
  const before = await lookBefore(dataDir, facts, madeAt);
  if (before && !mayReplace)
    throw new StartError(
      `${lossText(before, facts)}. Repeat with --yes: what is there is moved aside, not deleted`,
    );
  await settle(file, { madeAt, facts, before });
  continueSequences(file, readSequences(join(dataDir, DATABASE_FILE)));
  fillStage(stage, { folder, dataDir, paths, hasMedia });
  syncFolders(stage);
  return { madeAt, facts, before };
}

/** Removes what a restore left that ended before it moved anything: copies of a backup. */
function removeStages(dataDir: string): void {
  for (const name of readdirSync(dataDir))
    if (/^\.restore-\w+$/.test(name)) rmSync(join(dataDir, name), { recursive: true, force: true });
}

/** JSON that the service trusts in its own rows. */
const JSON_COLUMNS = [
  JOB_REQUEST,
  JOB_OPERATION,
  ATTEMPT_OPERATION,
  ATTEMPT_REFERENCE,
  ORDER_REQUEST,
  ORDER_JOBS,
  ...DELIVERY_COLUMNS,
  ...DRAFT_COLUMNS,
  OVERRIDE_NOTE,
];

/** Checks pages, schema, balances and JSON of a copy, with the migrations that it lacks. Returns what is in it. */
async function checkedFacts(file: string, folder: string, schema: number): Promise<RestoreFacts> {
  const damaged = (error: unknown) =>
    new StartError(`${folder} is damaged: ${DATABASE_FILE}: ${reasonOf(error)}; take another backup`);
  try {
    const found = checkDatabase(file);
    if (found !== schema) throw new Error(`it has schema ${found}, not ${schema}`);
  } catch (error) {
    throw damaged(error);
  }
  await using database = Database.open({ file, role: "service" });
  const { mismatches } = verifyLedger(database);
  if (mismatches > 0)
    throw new StartError(`${folder}: ${mismatches} balances do not match their entries; take another backup`);
  try {
    for (const column of JSON_COLUMNS) column.check(database);
  } catch (error) {
    throw damaged(error);
  }
  return restoreFacts(database);
}

/** Reads the data that a restore takes the place of. It may be the damaged one that the restore is for. */
async function lookBefore(
  dataDir: string,
  restored: RestoreFacts,
  madeAt: string,
): Promise<DataBefore | undefined> {
  if (!readdirSync(dataDir).includes(DATABASE_FILE)) return undefined;
  try {
    await using database = Database.open({ file: join(dataDir, DATABASE_FILE), role: "tool" });
    const earlier = lastRestore(database);
    // What is there may be this backup already, or a newer one: what was lost then is lost now.
    const lost = earlier && earlier.made_at >= Date.parse(madeAt) ? earlier.lost_attempts : 0;
    const { entries: lostEntries, attempts } = countedAfter(database, restored);
    const lostAttempts = lost === null ? null : lost + attempts;
    return { facts: { ...restoreFacts(database), lostEntries, lostAttempts } };
  } catch (error) {
    return { facts: undefined, isNewer: error instanceof DatabaseTooNewError };
  }
}

function lossText({ facts, isNewer }: DataBefore, restored: RestoreFacts): string {
  const end = timeOf(restored.lastEntryAt);
  if (isNewer)
    return (
      `the data there is of a newer program, and what it has since ${end}, where the backup ends, cannot be counted here: ` +
      "orders and payments since then would be lost. The newer program counts them: run this there first"
    );
  if (!facts)
    return `the data there cannot be read, and the backup ends at ${end}: orders and payments since then would be lost, and nobody can count them`;
  if (facts.lostEntries === 0 && facts.lostAttempts === 0)
    return `the backup ends at ${end}, as the data there does: it has every ledger entry and every attempt at a service`;
  return (
    `the data there goes on until ${timeOf(facts.lastEntryAt)}, the backup ends at ${end}: ` +
    `${facts.lostEntries} ledger entries and ${facts.lostAttempts ?? "an unknown number of"} attempts at services would be lost`
  );
}

function timeOf(timeMs: number | null): string {
  return timeMs === null ? "no entry" : new Date(timeMs).toISOString();
}

/** Writes into the copy what must not happen twice. */
async function settle(
  file: string,
  { madeAt, facts, before }: { madeAt: string; facts: RestoreFacts; before: DataBefore | undefined },
): Promise<void> {
  await using database = Database.open({ file, role: "service" });
  await database.write("restore", (tx) => {
    forgetWaiting(tx);
    retryParked(tx);
    recordRestore(tx, {
      made_at: integer(Date.parse(madeAt)),
      restored_at: systemClock.now(),
      last_job_id: facts.lastJobId,
      open_attempts: facts.openAttempts,
      lost_attempts: before?.facts?.lostAttempts ?? null,
    });
  });
}

/** Adds the other files. Without media in the backup, those that are there are in both places, as links. */
function fillStage(
  stage: string,
  given: { folder: string; dataDir: string; paths: readonly string[]; hasMedia: boolean },
): void {
  const { folder, dataDir, paths, hasMedia } = given;
  if (paths.includes(LINK_SECRET_FILE))
    copyDurably(join(folder, LINK_SECRET_FILE), join(stage, LINK_SECRET_FILE));
  const isMedium = (path: string) => MEDIA_FOLDERS.some((name) => path.startsWith(`${name}/`));
  const media = hasMedia ? paths.filter(isMedium) : mediaPaths(dataDir);
  for (const path of media) linkOrCopy(join(hasMedia ? folder : dataDir, path), join(stage, path));
}

function swap(dataDir: string, stamp: string): string | undefined {
  const names = { stage: `.restore-${stamp}`, aside: `before-restore-${stamp}` };
  const old = replacedBy(dataDir, join(dataDir, names.stage));
  mkdirSync(join(dataDir, names.aside), { mode: 0o700 });
  beginSwap(dataDir, { ...names, old });
  const aside = finishSwap(dataDir);
  if (old.length > 0) return aside;
  rmSync(join(dataDir, names.aside), { recursive: true });
  return undefined;
}
