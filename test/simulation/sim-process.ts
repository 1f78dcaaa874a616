import { join } from "node:path";
import { AdminStore } from "../../src/accounts/admin-store.js";
import { lastRestore, lostSince } from "../../src/backup/swap.js";
import { AcceptedSpool } from "../../src/bot/orders/accepted-spool.js";
import { type RunningBot, startBotOn } from "../../src/bot/start-bot.js";
import { LegalTexts } from "../../src/bot/texts/legal-texts.js";
import { asKopecks } from "../../src/contract/price.js";
import { Database } from "../../src/database/database.js";
import { noModeration } from "../../src/moderation/moderation.js";
import type { Clock } from "../../src/platform/clock.js";
import { FetchError } from "../../src/platform/guarded-fetch.js";
import { noCipher } from "../../src/platform/text-cipher.js";
import { NoticeQueue } from "../../src/ports/operator-notices.js";
import type { Service } from "../../src/service/service.js";
import { texts } from "../support/drafts.js";
import { TOKEN } from "../support/fake-telegram.js";
import { silentLogger } from "../support/log.js";
import { OFFER } from "../support/stars-offer.js";
import { openEmbedded } from "./embedded-core.js";
import { cipherOf, openFrontEnd } from "./front-end-core.js";
import { plantInWrites } from "./planted.js";
import type { CoreParts, SimCore } from "./sim-core.js";
import { openSimTill } from "./sim-till.js";
import { ADMIN_ID, SUPPORT_CHAT, type Surroundings } from "./surroundings.js";

const LEGAL_TEXTS = new LegalTexts(
  new Map([
    ["terms.en", "Terms"],
    ["privacy.en", "Privacy"],
  ]),
);

/** Nothing comes of a call of a process that is dead. */
function never<T>(): Promise<T> {
  return new Promise(() => {});
}

/** Thrown at the place where a process dies. */
class Crash extends Error {
  override readonly name = "Crash";
}

/** As SQLite refuses a commit for which there is no room. */
function fullDatabase(): Error {
  return Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
}

/** The service and its bot, built as in production, which may die at each fail point as by a power cut. */
export class SimProcess {
  readonly #stopping = new AbortController();
  #database: Database | undefined;
  #core: SimCore | undefined;
  #bot: RunningBot | undefined;
  #isDead = false;

  constructor(private readonly around: Surroundings) {}

  get isDead(): boolean {
    return this.#isDead;
  }

  get database(): Database {
    if (!this.#database) throw new Error("the process has not started");
    return this.#database;
  }

  /** Undefined until the process has opened its database. */
  get service(): Service | undefined {
    return this.#core?.service;
  }

  async start(): Promise<void> {
    const { directory, ids, telegram, planted, rules, way } = this.around;
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
    const parts: CoreParts = {
      around: this.around,
      database,
      clock,
      ids,
      logger,
      failPoint,
      isDead: () => this.#isDead,
      whileAlive: (call) => this.whileAlive(call),
    };
    const core = way === "embedded" ? openEmbedded(parts) : openFrontEnd(parts);
    this.#core = core;
    const restored = lastRestore(database);
    await core.start();
    this.#bot = await startBotOn(
      telegram.lineOf({ failPoint, whileAlive: (call) => this.whileAlive(call) }),
      {
        token: TOKEN,
        apiRoot: "http://telegram.invalid",
        database,
        service: core.service,
        apiUrl: "https://api.example/v1",
        texts,
        notices: new NoticeQueue(),
        eventsChat: rules.support && { chatId: SUPPORT_CHAT, threadId: null },
        reportAt: undefined,
        drawChart: () => Promise.reject(new Error("no charts")),
        examplesDirectory: "data/examples",
        adminIds: new AdminStore(database, clock, [ADMIN_ID]),
        allowedUsers: [],
        correctionAskKopecks: asKopecks(10_000_00),
        supportContact: rules.support ? undefined : "@help",
        restoredAt: restored?.restored_at,
        lostSince: lostSince(database),
        cipher: rules.accounts ? cipherOf(planted) : noCipher,
        isLocal: false,
        proxy: {},
        draftsPerMinuteMax: 0,
        moderation: noModeration,
        stars: OFFER,
        tills: openSimTill(parts, core.service),
        legalTexts: LEGAL_TEXTS,
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
    await Promise.all([this.#bot?.stop(), this.#core?.stop()]);
  }

  /** Frees what the operating system frees of a dead process. */
  async close(): Promise<void> {
    await this.#database?.close().catch(() => {});
  }

  whileAlive<T>(call: () => Promise<T>): Promise<T> {
    if (this.#isDead) return never();
    return new Promise<T>((resolve, reject) => {
      call().then(
        (value) => this.#isDead || resolve(value),
        (error: unknown) => this.#isDead || reject(error instanceof Error ? error : new Error(String(error))),
      );
    });
  }

  #pass(name: string): void {
    if (this.#isDead) throw new Crash(name);
    this.around.onFailPoint(name);
    if (this.#isDead) throw new Crash(name);
    if (this.around.disk.isDatabaseFull && name.startsWith("commit:before")) throw fullDatabase();
  }

  #clock(): Clock {
    const { clock } = this.around;
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (delayMs, fire) => clock.after(delayMs, () => this.#isDead || fire()),
    };
  }

  #holdWritesOfTheDead(database: Database): void {
    const write = database.write.bind(database);
    const writeLazily = database.writeLazily.bind(database);
    database.write = (label, work) => (this.#isDead ? never() : this.whileAlive(() => write(label, work)));
    database.writeLazily = (label, work) =>
      this.#isDead ? never() : this.whileAlive(() => writeLazily(label, work));
  }
}
