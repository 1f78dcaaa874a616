import { basename, extname, join } from "node:path";
import { AcceptedSpool } from "../../src/bot/orders/checkout/accepted-spool.js";
import { isOrderOpen } from "../../src/bot/orders/store/order-table.js";
import { type RunningBot, startBotOn } from "../../src/bot/start-bot.js";
import { asKopecks } from "../../src/contract/money.js";
import { createEmbeddedService, type EmbeddedService } from "../../src/core/core.js";
import { Database } from "../../src/database/database.js";
import { openLocalMedia } from "../../src/media/local-media.js";
import type { Clock } from "../../src/platform/clock.js";
import { FetchError } from "../../src/platform/guarded-fetch.js";
import type { Ids } from "../../src/platform/ids.js";
import type { GeneratedFile } from "../../src/ports/provider.js";
import { HttpProvider } from "../../src/providers/http/driver/http-provider.js";
import { KeptAnswers } from "../../src/providers/http/driver/kept-answers.js";
import { ReferenceSpool } from "../../src/providers/http/driver/reference-spool.js";
import { fal } from "../../src/providers/http/fal.js";
import type { UpstreamFile } from "../../src/routes/operation.js";
import { catalogue, SETTINGS } from "../support/core.js";
import { texts } from "../support/drafts.js";
import { TOKEN } from "../support/fake-telegram.js";
import { silentLogger } from "../support/log.js";
import type { MemoryDisk } from "./memory-disk.js";
import { type Planted, plantInExchange, plantInWrites } from "./planted.js";
import type { SimFal } from "./sim-fal.js";
import type { SimTelegram } from "./sim-telegram.js";

export const ADMIN_ID = 9;
export const WELCOME_KOPECKES = asKopecks(300_00);

const MIME: Readonly<Record<string, string>> = { ".mp4": "video/mp4", ".mp3": "audio/mpeg" };

/** What outlives a process. */
export interface Surroundings {
  directory: string;
  clock: Clock;
  ids: Ids;
  disk: MemoryDisk;
  telegram: SimTelegram;
  fal: SimFal;
  planted: Planted;
  /** Called at each place where a process may die, with its name. */
  onFailPoint: (name: string) => void;
}

/** Nothing comes of a call of a process that is dead. */
function never<T>(): Promise<T> {
  return new Promise(() => {});
}

/** Thrown at the place where a process dies. */
class Crash extends Error {
  override readonly name = "Crash";
}

/** The service and its bot, built as in production, which may die at each fail point as by a power cut. */
export class SimProcess {
  readonly #around: Surroundings;
  readonly #stopping = new AbortController();
  #database: Database | undefined;
  #service: EmbeddedService | undefined;
  #fal: HttpProvider | undefined;
  #bot: RunningBot | undefined;
  #isDead = false;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get database(): Database {
    if (!this.#database) throw new Error("the process has not started");
    return this.#database;
  }

  async start(): Promise<void> {
    const { directory, ids, disk, telegram, fal: world, planted } = this.#around;
    const clock = this.#clock();
    const logger = silentLogger();
    const failPoint = (name: string) => this.#pass(name);
    const database = Database.open({
      file: join(directory, "atelier.db"),
      role: "service",
      failPoint,
      clock,
      onUnknownOutcome: () => this.die(),
    });
    this.#database = database;
    plantInWrites(database, directory, planted);
    this.#holdWritesOfTheDead(database);
    const exchange = plantInExchange((options) => world.exchange(options, failPoint), planted);
    const provider = new HttpProvider({
      adapter: fal,
      key: "the-key-of-the-simulation",
      settings: { concurrency: 4 },
      callbackUrl: "https://callback.invalid/hooks/fal",
      references: { publish: async () => [] },
      outputs: { fetch: (files, folder) => this.#fetch(files, folder) },
      exchange: (options) => this.#whileAlive(() => exchange(options)),
      database,
      spool: new ReferenceSpool(join(directory, "references.spool")),
      answers: new KeptAnswers(join(directory, "answers")),
      clock,
      ids,
      logger,
      failPoint,
    });
    this.#fal = provider;
    const service = createEmbeddedService({
      database,
      catalogue,
      providers: [provider],
      media: openLocalMedia({ disk, directory: join(directory, "media"), ids, failPoint }),
      identityKind: "telegram",
      clock,
      ids,
      logger,
      settings: { ...SETTINGS, welcomeCreditKopecks: WELCOME_KOPECKES },
      linkSecret: "0123456789abcdef0123456789abcdef",
      isOrderOpen,
      failPoint,
    });
    this.#service = service;
    await provider.start(service.providerHost);
    await service.start();
    this.#bot = await startBotOn(
      telegram.lineOf({ failPoint, whileAlive: (call) => this.#whileAlive(call) }),
      {
        token: TOKEN,
        apiRoot: "http://telegram.invalid",
        database,
        service,
        apiUrl: "https://api.example/v1",
        texts,
        examplesDirectory: "data/examples",
        adminIds: [ADMIN_ID],
        allowedUsers: [],
        correctionAskKopecks: asKopecks(10_000_00),
        supportContact: "@help",
        refundsFailedJobs: true,
        guardedFetch: () => Promise.reject(new FetchError("network")),
        clock,
        ids,
        logger,
        failPoint,
        spool: new AcceptedSpool(join(directory, "accepted-orders.spool")),
      },
      this.#stopping.signal,
    );
  }

  /** Ends it as a power cut does: what it still wants to do never happens. */
  die(): void {
    this.#isDead = true;
  }

  /** Ends it in order. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#bot?.stop(), this.#service?.stop()]);
    await this.#fal?.close();
    await this.close();
  }

  /** Frees what the operating system frees of a dead process. */
  async close(): Promise<void> {
    await this.#database?.close().catch(() => {});
  }

  #pass(name: string): void {
    if (this.#isDead) throw new Crash(name);
    this.#around.onFailPoint(name);
    if (this.#isDead) throw new Crash(name);
  }

  #whileAlive<T>(call: () => Promise<T>): Promise<T> {
    if (this.#isDead) return never();
    return new Promise<T>((resolve, reject) => {
      call().then(
        (value) => this.#isDead || resolve(value),
        (error: unknown) => this.#isDead || reject(error instanceof Error ? error : new Error(String(error))),
      );
    });
  }

  #clock(): Clock {
    const { clock } = this.#around;
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (delayMs, fire) => clock.after(delayMs, () => this.#isDead || fire()),
    };
  }

  #holdWritesOfTheDead(database: Database): void {
    const write = database.write.bind(database);
    const writeLazily = database.writeLazily.bind(database);
    database.write = (label, work) => (this.#isDead ? never() : this.#whileAlive(() => write(label, work)));
    database.writeLazily = (label, work) =>
      this.#isDead ? never() : this.#whileAlive(() => writeLazily(label, work));
  }

  /** The content of a file is its address. */
  async #fetch(given: readonly UpstreamFile[], folder: string): Promise<GeneratedFile[]> {
    const { disk } = this.#around;
    const files: GeneratedFile[] = [];
    for (const { source } of given) {
      const url = "url" in source ? source.url : "";
      const path = join(folder, basename(new URL(url).pathname));
      await disk.write(path, [Buffer.from(url)]);
      files.push({ path, mime: MIME[extname(path)] ?? "image/png", width: 64, height: 64, durationSec: 5 });
    }
    return files;
  }
}
