import { rmSync } from "node:fs";
import type { Ids } from "../../src/platform/ids.js";
import { createManualClock } from "../support/manual-clock.js";
import { newDirectory } from "./empty-database.js";
import { isSettled, judge, RowReader } from "./judge.js";
import { MemoryDisk } from "./memory-disk.js";
import type { Planted } from "./planted.js";
import type { Random } from "./random.js";
import { SimFal } from "./sim-fal.js";
import { SimProcess } from "./sim-process.js";
import { SimTelegram } from "./sim-telegram.js";

const CRASHES_MAX = 3;
/** Places passed from one crash to the next. */
const CRASH_EVERY_MAX = 400;
/** Shares of calls that go wrong. */
const FAULTY = [0, 0.03, 0.1] as const;
const START_STEP_MS = 100;

/** What outlives the processes of one service, and the process that runs. A dead one is followed by another. */
export class World {
  readonly clock = createManualClock();
  readonly telegram: SimTelegram;
  readonly fal: SimFal;
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
  #process: SimProcess;
  #crashesLeft = CRASHES_MAX;
  #untilCrash: number;

  private constructor(directory: string, random: Random, planted: Planted) {
    this.#directory = directory;
    this.#reader = new RowReader(directory);
    this.#planted = planted;
    this.telegram = new SimTelegram(this.clock, random.fork(), planted);
    this.fal = new SimFal(this.clock, random.fork());
    this.telegram.faultShare = random.pick(FAULTY) ?? 0;
    this.fal.faultShare = random.pick(FAULTY) ?? 0;
    this.#isFaulty = this.telegram.faultShare > 0;
    this.#ids = repeatableIds(random.fork());
    this.#random = random.fork();
    this.#untilCrash = this.#random.integer(1, CRASH_EVERY_MAX);
    this.#process = this.#open();
  }

  static async open(random: Random, planted: Planted): Promise<World> {
    const world = new World(await newDirectory(), random, planted);
    await world.#start();
    await world.#revive();
    return world;
  }

  get crashes(): number {
    return this.#processes.length - 1;
  }

  /** Moves time on, and starts another process where one has died. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.#revive();
  }

  /** Nothing goes wrong from now on. */
  calmDown(): void {
    this.disk.isFull = false;
    this.telegram.faultShare = 0;
    this.fal.faultShare = 0;
    this.#crashesLeft = 0;
  }

  get isAtRest(): boolean {
    return this.telegram.unconfirmed === 0 && isSettled(this.#reader);
  }

  /** What is wrong; empty where nothing is. */
  judge(): string[] {
    const isCalm = this.crashes === 0 && !this.#isFaulty;
    return judge({ ...this.#seen, isCalm });
  }

  async close(): Promise<void> {
    this.#reader.close();
    for (const process of this.#processes) {
      process.die();
      await process.close();
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #seen() {
    return { reader: this.#reader, process: this.#process, telegram: this.telegram, fal: this.fal };
  }

  #open(): SimProcess {
    const process = new SimProcess({
      directory: this.#directory,
      clock: this.clock,
      ids: this.#ids,
      disk: this.disk,
      telegram: this.telegram,
      fal: this.fal,
      planted: this.#planted,
      onFailPoint: (name) => this.#mayCrash(name),
    });
    this.#processes.push(process);
    return process;
  }

  #mayCrash(name: string): void {
    if (this.#crashesLeft === 0) return;
    this.#untilCrash -= 1;
    if (this.#untilCrash > 0) return;
    this.#crashesLeft -= 1;
    this.#untilCrash = this.#random.integer(1, CRASH_EVERY_MAX);
    this.history.push(`the process dies at ${name}`);
    this.#process.die();
  }

  /** A process may die during its start too. */
  async #revive(): Promise<void> {
    while (this.#process.isDead) {
      this.#process = this.#open();
      await this.#start();
    }
  }

  /** A start that a crash cuts off never ends. */
  async #start(): Promise<void> {
    const process = this.#process;
    let ended: { fault?: unknown } | undefined;
    void process.start().then(
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

function repeatableIds(random: Random): Ids {
  const hex = (digits: number) =>
    Array.from({ length: digits }, () => random.integer(0, 15).toString(16)).join("");
  return {
    order: () => hex(16),
    file: () => hex(32),
    request: () => hex(32),
    secret: () => hex(43),
    seed: () => random.integer(0, 2 ** 31 - 1),
  };
}
