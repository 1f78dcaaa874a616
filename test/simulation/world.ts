import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { z } from "zod";
import { makeBackup } from "../../src/backup/make-backup.js";
import type { Catalogue } from "../../src/catalogue/catalogue.js";
import { type Database, isFull } from "../../src/database/database.js";
import type { Ids } from "../../src/platform/ids.js";
import { HOUR_MS } from "../../src/platform/units.js";
import { restoreBackup } from "../../src/restore-data.js";
import { emptyDatabase } from "../support/empty-database.js";
import { createManualClock } from "../support/manual-clock.js";
import { CATALOGUES } from "./catalogues.js";
import type { Facts } from "./facts.js";
import { judgeEmbedded } from "./judge-embedded.js";
import { judgeFrontEnd } from "./judge-front-end.js";
import { MemoryDisk } from "./memory-disk.js";
import { type Moves, readMoves } from "./moves.js";
import type { SimPath } from "./paths/path.js";
import { drawPaths, OPEN_IN_PATHS, type PathName } from "./paths/paths.js";
import type { Planted } from "./planted.js";
import type { Random } from "./random.js";
import { lostName, RowReader, readRows } from "./rows.js";
import type { Rules } from "./rules.js";
import { SimApi } from "./sim-api.js";
import { SimFal } from "./sim-fal.js";
import { SimMachine } from "./sim-machine.js";
import { SimProcess } from "./sim-process.js";
import { SimRenderer } from "./sim-renderer.js";
import { SimTelegram } from "./sim-telegram.js";
import type { Theme } from "./themes.js";
import { WATCH } from "./watch.js";
import { WAYS, type Way } from "./way.js";

const LAST_REFUND = "SELECT coalesce(max(rowid), 0) AS last FROM sim_refund";
const refundRow = z.object({ number: z.int(), charge_id: z.string(), is_begun: z.int() });

/** A third of the worlds has none: there nothing may come twice. */
const CRASHES_MAX = [0, 1, 3] as const;
/** Places passed from one crash to the next. */
const CRASH_EVERY_MAX = 400;
/** The same where a theme names the places. */
const NAMED_CRASH_EVERY_MAX = 6;
const NAMED_CRASHES = 6;
/** Shares of calls that go wrong. */
const FAULTY = [0, 0.05, 0.2] as const;
const START_STEP_MS = 100;
/** A write that found no room is tried again by then. */
const UNWRITTEN_MS = 15_000;

const waitingFile = z.object({ number: z.int(), job_id: z.int(), name: z.string() });
/** Files of the orders of a person of which nothing was sent. */
const WAITING = `
  SELECT "order".number, job.id AS job_id, media_file.name FROM delivery
  JOIN "order" ON "order".id = delivery.order_id JOIN job ON job.order_id = "order".id
  JOIN media_file ON media_file.job_id = job.id
  WHERE delivery.state = 'parked' AND files = '[]' AND job.status = 'done' AND delivery.user_id =`;

export interface WorldOptions {
  /** A fault that has to be noticed. */
  planted?: Planted | undefined;
  /** By default the seed decides. */
  way?: Way | undefined;
  /** What happens often; by default nothing does. */
  theme?: Theme;
  /** Paths beside those of the theme. */
  beside?: readonly PathName[];
}

const NO_THEME: Theme = { name: "anything", paths: [] };

/** What outlives the processes of one service, and the process that runs. A dead one is followed by another. */
export class World {
  readonly clock = createManualClock();
  readonly telegram: SimTelegram;
  readonly way: Way;
  readonly paths: readonly SimPath[];
  readonly fal: SimFal;
  readonly renderer: SimRenderer;
  readonly api: SimApi;
  readonly machines: SimMachine[] = [];
  readonly disk = new MemoryDisk(this.clock);
  /** What happened, in order. */
  readonly history: string[] = [];
  readonly #directory: string;
  #reader: RowReader;
  readonly #backups: string[] = [];
  #lost: Facts["lost"];
  readonly #gone = new Set<number>();
  readonly #random: Random;
  readonly #planted: Planted;
  readonly #ids: Ids;
  readonly #processes: SimProcess[] = [];
  readonly #isFaulty: boolean;
  /** What the operator has set. */
  readonly rules: Rules;
  readonly theme: Theme;
  #catalogue: Catalogue;
  #crashes = 0;
  #process: SimProcess;
  #crashesLeft: number;
  #untilCrash: number;
  #startedAt = 0;
  #refundsRead = 0;
  readonly #refundBegan = new Map<string, number>();

  private constructor(
    directory: string,
    random: Random,
    { planted, way, theme = NO_THEME, beside = [] }: WorldOptions,
  ) {
    const drawn = random.pick(WAYS);
    this.theme = theme;
    this.way = way ?? theme.way ?? drawn;
    const ownRandom = random.fork();
    this.paths = drawPaths(ownRandom, this.way, theme.paths, beside);
    this.rules = Object.assign({}, ...this.paths.map((path) => path.rulesOf?.(ownRandom.fork(), this.clock)));
    this.#directory = directory;
    this.#reader = new RowReader(directory);
    this.#planted = planted ?? {};
    this.telegram = new SimTelegram(this.clock, random.fork(), this.#planted);
    this.fal = new SimFal(this.clock, random.fork());
    this.fal.callbacks = this.rules.callbacks;
    this.renderer = new SimRenderer(random.fork(), this.disk);
    this.api = new SimApi(this.clock, random.fork(), theme.keepsKeys);
    this.api.accounts = this.rules.accounts;
    this.telegram.faultShare = random.pick(FAULTY);
    const faultShare = random.pick(FAULTY);
    this.#elsewhere(theme.faultShare ?? faultShare);
    this.fal.lostShare = theme.lostTasks ?? 0;
    this.#catalogue = random.pick(CATALOGUES);
    this.#isFaulty = this.telegram.faultShare > 0;
    this.#ids = repeatableIds(random.fork());
    this.#random = random.fork();
    const crashes = this.#random.pick(CRASHES_MAX);
    this.#crashesLeft = theme.isWithoutCrashes ? 0 : crashes;
    if (theme.diesAt) this.#crashesLeft += NAMED_CRASHES;
    this.telegram.stars.onRefundAsked = (chargeId) => {
      this.#readRefunds();
      this.#requireDebit(chargeId);
    };
    if (this.rules.shop) this.rules.shop.onRefundAsked = (paymentId) => this.#requireDebit(paymentId);
    if (this.rules.shop && theme.faultShare !== undefined) this.rules.shop.faultShare = theme.faultShare;
    if (this.rules.shop) this.rules.shop.complain = (words) => this.telegram.book.complaints.push(words);
    this.#untilCrash = this.#drawCrash();
    this.#process = this.#open();
  }

  static async open(random: Random, options: WorldOptions): Promise<World> {
    const world = new World(newDirectory(), random, options);
    await world.#start();
    await world.#revive();
    return world;
  }

  get crashes(): number {
    return this.#crashes;
  }

  /** A program with a key of a person's account. */
  newMachine(userId: number): SimMachine {
    const machine = new SimMachine(userId, this.#random.fork(), () => this.#process);
    this.machines.push(machine);
    return machine;
  }

  /** How many pictures, videos and songs were bought or begun. */
  get tasks(): number {
    const beside = this.rules.kie?.tasks.length ?? 0;
    return this.fal.tasks.length + beside + this.renderer.tasks.length + this.api.jobs.length;
  }

  /** How often rows made each move. */
  get moves(): Moves {
    return readMoves(this.#reader);
  }

  /** Moves time on, and starts another process where one has died. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.#revive();
  }

  /** Nothing goes wrong from now on. */
  calmDown(): void {
    this.disk.isFull = false;
    this.fal.isListHidden = false;
    this.fal.lostShare = 0;
    this.disk.databaseFullUntil = 0;
    this.telegram.calmDown();
    this.#elsewhere(0);
    this.fal.mood = "good";
    this.rules.shop?.calmDown();
    this.rules.kie?.calmDown();
    this.rules.accounts?.calmDown();
    this.#crashesLeft = 0;
  }

  get isAtRest(): boolean {
    return this.telegram.unconfirmed === 0 && this.#reader.isSettled(OPEN_IN_PATHS);
  }

  /** Whether a start has still something to tell. */
  get needsStart(): boolean {
    return this.#reader.hasUntold;
  }

  /** Other models and prices from now on: a service elsewhere changes them, or the operator, who may start anew. */
  async changeCatalogue(): Promise<void> {
    this.api.change();
    this.#catalogue = this.#random.pick(CATALOGUES);
    if (this.way === "embedded" && this.#random.chance(0.5)) await this.restart();
  }

  /** When the process that runs was started, by the monotonic clock. */
  get startedAt(): number {
    return this.#startedAt;
  }

  /** Stops the process in order, and starts another. */
  async restart(): Promise<void> {
    await this.#stop();
    await this.#revive();
  }

  /** Stops the process in order, and starts another after some time. */
  async away(ms: number): Promise<string> {
    await this.#stop();
    await this.clock.advance(ms);
    await this.#revive();
    return `the service is away for ${ms / HOUR_MS} hours`;
  }

  async #stop(): Promise<void> {
    const process = this.#process;
    await this.#untilEnd(process, process.stop());
    // What it could not write is forgotten, as by a crash.
    if (this.clock.monotonic() < this.disk.databaseFullUntil + UNWRITTEN_MS) this.#crashes += 1;
    process.die();
    await process.close();
  }

  /** Makes a backup, as the service does every night. */
  async backUp(): Promise<string> {
    const target = `${this.#directory}.backup-${this.#backups.length + 1}`;
    await makeBackup({
      dataDir: this.#directory,
      target,
      hasMedia: false,
      program: "simulation",
      clock: this.clock,
    });
    this.#backups.push(target);
    return `backup ${this.#backups.length} is made`;
  }

  /** Loses the data, wholly or so far that nothing of it counts, and goes on with the newest backup. */
  async restore(): Promise<string> {
    const folder = this.#backups.at(-1);
    if (folder === undefined) return "there is no backup to restore";
    this.#process.die();
    await this.#process.close();
    const known = readRows(this.#reader).jobs.map(lostName);
    this.#lost = new Set([...(this.#lost ?? []), ...known]);
    this.#reader.close();
    const isGone = this.#random.chance(0.5);
    const file = join(this.#directory, "atelier.db");
    for (const end of isGone ? ["", "-wal", "-shm"] : []) rmSync(`${file}${end}`, { force: true });
    await restoreBackup({ folder, dataDir: this.#directory, mayReplace: true });
    this.#settleRestore(file);
    this.#reader = new RowReader(this.#directory);
    this.#refundsRead = this.#reader.all(z.object({ last: z.int() }), LAST_REFUND)[0]?.last ?? 0;
    this.telegram.forgetTaken();
    this.rules.callbacks?.forget();
    for (const machine of this.machines) machine.forget();
    this.#crashes += 1;
    await this.#revive();
    return `backup ${this.#backups.length} is restored${isGone ? ", the data was gone" : ""}`;
  }

  /** The restore has taken the time of the machine that it ran on. */
  #settleRestore(file: string): void {
    const restored = new BetterSqlite3(file);
    const sql = this.#planted.isRestoreForgotten
      ? "DELETE FROM restored_backup"
      : `UPDATE restored_backup SET restored_at = ${this.clock.now()}`;
    restored.exec(sql);
    restored.close();
    if (this.#planted.isRestoreForgotten) this.#planted.onTaken?.();
  }

  /** The disk loses what waits for somebody. Jobs that a backup does not know may get the numbers of others again. */
  loseFiles(userId: number): number | undefined {
    if (this.#backups.length > 0) return undefined;
    const waiting = this.#reader.all(waitingFile, `${WAITING} ${userId}`);
    const number = waiting.at(-1)?.number;
    for (const file of waiting.filter((one) => one.number === number)) {
      this.disk.lose(file.name);
      this.#gone.add(file.job_id);
    }
    return number;
  }

  /** Does something to the database beside the service, as `ctl` does. Where there is no room it is left. */
  beside(work: (database: Database) => Promise<unknown>): void {
    const process = this.#process;
    void process.whileAlive(() => work(process.database)).catch(() => {});
  }

  /** What is wrong; empty where nothing is. */
  judge(): string[] {
    const { way, telegram, fal, renderer, api, machines, crashes } = this;
    this.#readRefunds();
    const isCalm = crashes === 0 && !this.#isFaulty;
    const judge = way === "embedded" ? judgeEmbedded : judgeFrontEnd;
    return judge(readRows(this.#reader), {
      rules: this.rules,
      reader: this.#reader,
      database: this.#process.database,
      ...{ telegram, fal, renderer, api, machines, crashes },
      lost: this.#lost,
      gone: this.#gone,
      wasFull: this.disk.wasFull,
      isCalm,
    });
  }

  async close(): Promise<void> {
    this.#reader.close();
    for (const process of this.#processes) {
      process.die();
      await process.close();
    }
    for (const folder of [this.#directory, ...this.#backups])
      rmSync(folder, { recursive: true, force: true });
  }

  #elsewhere(faultShare: number): void {
    this.fal.faultShare = faultShare;
    if (this.rules.kie) this.rules.kie.faultShare = faultShare;
    this.renderer.faultShare = faultShare;
    this.api.faultShare = faultShare;
  }

  /** Nobody is asked to pay back what is on a balance still: it could be spent meanwhile. */
  #requireDebit(chargeId: string): void {
    const kept = `SELECT 1 FROM till_payment WHERE charge_id = '${chargeId}' AND state IN ('credited', 'unmatched')`;
    if (!this.#reader.isEmpty(kept))
      this.telegram.book.complaints.push(`${chargeId} was to be paid back before it was debited`);
  }

  /** A refund ends by a refusal of its own try: one of an earlier try says nothing of what Telegram does now. */
  #readRefunds(): void {
    const { refundCalls } = this.telegram.stars;
    const { complaints } = this.telegram.book;
    const news = this.#reader.all(
      refundRow,
      `SELECT rowid AS number, charge_id, is_begun FROM sim_refund WHERE rowid > ${this.#refundsRead}`,
    );
    for (const { number, charge_id, is_begun } of news) {
      this.#refundsRead = number;
      const since = this.#refundBegan.get(charge_id) ?? 0;
      const isRefused = refundCalls
        .slice(since)
        .some((call) => call.chargeId === charge_id && call.isRefused);
      if (is_begun) this.#refundBegan.set(charge_id, refundCalls.length);
      else if (!isRefused)
        complaints.push(`the refund of ${charge_id} was undone, and nobody has refused it`);
    }
  }

  #open(): SimProcess {
    const process = new SimProcess({
      way: this.way,
      directory: this.#directory,
      random: this.#random,
      offers: { current: () => this.#catalogue },
      clock: this.clock,
      ids: this.#ids,
      disk: this.disk,
      telegram: this.telegram,
      fal: this.fal,
      renderer: this.renderer,
      api: this.api,
      rules: this.rules,
      planted: this.#planted,
      onFailPoint: (name) => this.#mayCrash(name),
    });
    this.#processes.push(process);
    return process;
  }

  #mayCrash(name: string): void {
    const { diesAt } = this.theme;
    if (this.#crashesLeft === 0 || (diesAt && !diesAt.test(name))) return;
    this.#untilCrash -= 1;
    if (this.#untilCrash > 0) return;
    this.#crashesLeft -= 1;
    this.#crashes += 1;
    this.#untilCrash = this.#drawCrash();
    this.history.push(`the process dies at ${name}`);
    this.#process.die();
  }

  #drawCrash(): number {
    return this.#random.integer(1, this.theme.diesAt ? NAMED_CRASH_EVERY_MAX : CRASH_EVERY_MAX);
  }

  /** A process may die during its start too. */
  async #revive(): Promise<void> {
    while (this.#process.isDead) {
      this.#process = this.#open();
      await this.#start();
    }
  }

  /** A start for which the database has no room fails: the operator makes room, and another process starts. */
  async #start(): Promise<void> {
    const process = this.#process;
    this.#startedAt = this.clock.monotonic();
    try {
      await this.#untilEnd(process, process.start());
    } catch (error) {
      if (!isFull(error)) throw error;
      this.history.push("the process does not start, and the database gets room");
      this.disk.databaseFullUntil = 0;
      this.#crashes += 1;
      process.die();
    }
  }

  /** What a crash cuts off never ends. */
  async #untilEnd(process: SimProcess, work: Promise<void>): Promise<void> {
    let ended: { fault?: unknown } | undefined;
    void work.then(
      () => {
        ended = {};
      },
      (fault: unknown) => {
        ended = { fault };
      },
    );
    while (!ended && !process.isDead) await this.clock.advance(START_STEP_MS);
    if (ended?.fault !== undefined && !process.isDead) throw ended.fault;
  }
}

let empty: Buffer | undefined;

/** A new folder with a database that has all tables and is watched: making them takes longer than most worlds. */
function newDirectory(): string {
  empty ??= emptyDatabase(WATCH);
  // In memory where the system has such a folder: nothing here outlives a power cut.
  const directory = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "atelier-simulation-"));
  writeFileSync(join(directory, "atelier.db"), empty);
  return directory;
}

function repeatableIds(random: Random): Ids {
  const hex = (digits: number) =>
    Array.from({ length: digits }, () => random.integer(0, 15).toString(16)).join("");
  return {
    order: () => hex(16),
    file: () => hex(32),
    adminCode: () => hex(16),
    request: () => hex(32),
    secret: () => hex(43),
    seed: () => random.integer(0, 2 ** 31 - 1),
  };
}
