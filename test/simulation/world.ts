import { rmSync } from "node:fs";
import type { Catalogue } from "../../src/core/catalogue/catalogue.js";
import type { Database } from "../../src/database/database.js";
import { isFull } from "../../src/database/errors.js";
import type { Ids } from "../../src/platform/ids.js";
import { createManualClock } from "../support/manual-clock.js";
import { CATALOGUES } from "./catalogues.js";
import { newDirectory } from "./empty-database.js";
import { judge } from "./judge.js";
import { MemoryDisk } from "./memory-disk.js";
import type { SimPath } from "./paths/path.js";
import { drawPaths, OPEN_IN_PATHS } from "./paths/paths.js";
import type { Planted } from "./planted.js";
import type { Random } from "./random.js";
import { RowReader } from "./rows.js";
import type { Rules } from "./rules.js";
import { SimApi } from "./sim-api.js";
import { SimFal } from "./sim-fal.js";
import { SimMachine } from "./sim-machine.js";
import { SimProcess } from "./sim-process.js";
import { SimRenderer } from "./sim-renderer.js";
import { SimTelegram } from "./sim-telegram.js";
import { WAYS, type Way } from "./way.js";

/** A third of the worlds has none: there nothing may come twice. */
const CRASHES_MAX = [0, 1, 3] as const;
/** Places passed from one crash to the next. */
const CRASH_EVERY_MAX = 400;
/** The same where a planted fault names the place. */
const PLANTED_CRASH_EVERY_MAX = 4;
/** Shares of calls that go wrong. */
const FAULTY = [0, 0.05, 0.2] as const;
const START_STEP_MS = 100;
/** A write that found no room is tried again by then. */
const UNWRITTEN_MS = 15_000;

export interface WorldOptions {
  /** A fault that has to be noticed. */
  planted?: Planted | undefined;
  /** By default the seed decides. */
  way?: Way | undefined;
}

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
  readonly #reader: RowReader;
  readonly #random: Random;
  readonly #planted: Planted;
  readonly #ids: Ids;
  readonly #processes: SimProcess[] = [];
  readonly #isFaulty: boolean;
  readonly #rules: Rules;
  #catalogue: Catalogue;
  #crashes = 0;
  #process: SimProcess;
  #crashesLeft: number;
  #untilCrash: number;

  private constructor(directory: string, random: Random, { planted, way }: WorldOptions) {
    const drawn = random.pick(WAYS) ?? "embedded";
    this.way = way ?? drawn;
    const ownRandom = random.fork();
    this.paths = this.way === "embedded" ? drawPaths(ownRandom, planted) : [];
    this.#rules = Object.assign(
      {},
      ...this.paths.map((path) => path.rulesOf?.(ownRandom.fork(), this.clock)),
    );
    this.#directory = directory;
    this.#reader = new RowReader(directory);
    this.#planted = planted ?? {};
    this.telegram = new SimTelegram(this.clock, random.fork(), this.#planted);
    this.fal = new SimFal(this.clock, random.fork());
    this.renderer = new SimRenderer(random.fork(), this.disk);
    this.api = new SimApi(this.clock, random.fork());
    this.telegram.faultShare = random.pick(FAULTY) ?? 0;
    this.#elsewhere(random.pick(FAULTY) ?? 0);
    this.#catalogue = catalogueOf(random);
    this.#isFaulty = this.telegram.faultShare > 0;
    this.#ids = repeatableIds(random.fork());
    this.#random = random.fork();
    this.#crashesLeft = this.#random.pick(CRASHES_MAX) ?? 0;
    this.#untilCrash = this.#drawCrash();
    this.#process = this.#open();
  }

  static async open(random: Random, options: WorldOptions): Promise<World> {
    const world = new World(await newDirectory(), random, options);
    await world.#start();
    await world.#revive();
    return world;
  }

  /** What the operator has set. */
  get rules(): Rules {
    return this.#rules;
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
    return this.fal.tasks.length + this.renderer.tasks.length + this.api.jobs.length;
  }

  /** Moves time on, and starts another process where one has died. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.#revive();
  }

  /** Nothing goes wrong from now on. */
  calmDown(): void {
    this.disk.isFull = false;
    this.disk.databaseFullUntil = 0;
    this.telegram.calmDown();
    this.#elsewhere(0);
    this.#rules.shop?.calmDown();
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
    this.#catalogue = catalogueOf(this.#random);
    if (this.way === "embedded" && this.#random.chance(0.5)) await this.restart();
  }

  /** Stops the process in order, and starts another. */
  async restart(): Promise<void> {
    const process = this.#process;
    await this.#untilEnd(process, process.stop());
    // What it could not write is forgotten, as by a crash.
    if (this.clock.monotonic() < this.disk.databaseFullUntil + UNWRITTEN_MS) this.#crashes += 1;
    process.die();
    await process.close();
    await this.#revive();
  }

  /** Does something to the database beside the service, as `ctl` does. Where there is no room it is left. */
  beside(work: (database: Database) => Promise<unknown>): void {
    const process = this.#process;
    void process.whileAlive(() => work(process.database)).catch(() => {});
  }

  /** What is wrong; empty where nothing is. */
  judge(): string[] {
    const { way, telegram, fal, renderer, api, machines, crashes } = this;
    const isCalm = crashes === 0 && !this.#isFaulty;
    const elsewhere = { telegram, fal, renderer, api, machines };
    const { database } = this.#process;
    return judge({ way, rules: this.#rules, reader: this.#reader, database, ...elsewhere, crashes, isCalm });
  }

  async close(): Promise<void> {
    this.#reader.close();
    for (const process of this.#processes) {
      process.die();
      await process.close();
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #elsewhere(faultShare: number): void {
    this.fal.faultShare = faultShare;
    this.renderer.faultShare = faultShare;
    this.api.faultShare = faultShare;
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
      rules: this.#rules,
      planted: this.#planted,
      onFailPoint: (name) => this.#mayCrash(name),
    });
    this.#processes.push(process);
    return process;
  }

  #mayCrash(name: string): void {
    const { diesAt = name } = this.#planted;
    if (this.#crashesLeft === 0 || name !== diesAt) return;
    this.#untilCrash -= 1;
    if (this.#untilCrash > 0) return;
    this.#crashesLeft -= 1;
    this.#crashes += 1;
    this.#untilCrash = this.#drawCrash();
    this.history.push(`the process dies at ${name}`);
    this.#process.die();
  }

  #drawCrash(): number {
    const { diesAt } = this.#planted;
    return this.#random.integer(1, diesAt === undefined ? CRASH_EVERY_MAX : PLANTED_CRASH_EVERY_MAX);
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

function catalogueOf(random: Random): Catalogue {
  const catalogue = random.pick(CATALOGUES);
  if (!catalogue) throw new Error("no catalogue");
  return catalogue;
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
