import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { takesJobs } from "../../../../src/catalogue/choose-provider.js";
import { type Mapping, mappingSchema } from "../../../../src/catalogue/mapping.js";
import type { Cost, UpstreamFile } from "../../../../src/catalogue/operation.js";
import { Database, type DatabaseOptions } from "../../../../src/database/database.js";
import type { Outcome, ProviderHost, UpstreamTask } from "../../../../src/jobs/provider.js";
import { noFailPoint } from "../../../../src/platform/fail-point.js";
import { exchange } from "../../../../src/platform/http-exchange.js";
import { systemIds } from "../../../../src/platform/ids.js";
import type { QueuePlace } from "../../../../src/ports/gateway.js";
import type { OperatorNotice } from "../../../../src/ports/operator-notices.js";
import { type Attempt, costOf } from "../../../../src/providers/attempt-store.js";
import type { FetchTerms } from "../../../../src/providers/fetch-outputs.js";
import { OutputError, type OutputFault } from "../../../../src/providers/file-inspector.js";
import { HttpProvider } from "../../../../src/providers/http-provider.js";
import { upstreamCollector } from "../../../../src/providers/metrics.js";
import { KeptAnswers, ReferenceSpool } from "../../../../src/providers/reference-spool.js";
import type { HttpProviderOptions } from "../../../../src/providers/service.js";
import { withTables } from "../../../support/empty-database.js";
import { recordingLogger } from "../../../support/log.js";
import { createManualClock, type ManualClock } from "../../../support/manual-clock.js";
import { newFolder } from "../../../support/new-folder.js";
import { soldAs } from "../../../support/sold.js";
import { recordedNotices } from "../../../support/told-notices.js";
import { UnderWay } from "../../../support/under-way.js";
import { fakeAdapter, KEY } from "./fake-adapter.js";
import { CALL_NUMBER, type FakeService, startFakeService } from "./fake-service.js";

const DEADLINE_SEC = 120;
export const MAPPING = mappingSchema.parse({
  endpoint: "tasks",
  input: { prompt: "$prompt" },
  output: { kind: "image", files: "/files/*" },
  poll: { first_ms: 3000, every_ms: [2000, 5000], deadline_sec: DEADLINE_SEC },
  cost: { currency: "USD", per: "task", amount: 0.08 },
  source: "https://fake.example/docs",
  checked: "2026-11-22",
});

type ServiceOfTest = Pick<FakeService, "root"> & Partial<Pick<FakeService, "isHolding">>;

/** A job that runs, and how it ended. */
export interface Running {
  outcome: Outcome | undefined;
  /** What was told of its queue, in order. */
  places: (QueuePlace | undefined)[];
  /** How often it was given back unsent. It runs again when the service takes tasks, as in a queue. */
  postponed: number;
  error: unknown;
  hasEnded: boolean;
  ended: Promise<void>;
  interrupt(): void;
}

export interface WorldOptions extends Partial<Omit<HttpProviderOptions, "failPoint" | "clock">> {
  failPoint?: DatabaseOptions["failPoint"];
  clock?: ManualClock;
  mayBeSent?: ProviderHost["mayBeSent"];
  /** Called when there is room again. */
  roomAgain?: () => void;
  /** Of which the jobs are sold. */
  mappingsOf?: (modelKey: string) => readonly Mapping[];
}

/** A driver in front of a fake service. */
export async function openFake(given?: WorldOptions) {
  const service = await startFakeService();
  return { service, world: await openWorld(service, given) };
}

/** A driver whose first job was asked about at its service. */
export async function openPolled(given?: WorldOptions) {
  const { service, world } = await openFake(given);
  const running = world.run();
  await world.until("it is polled", () => service.gets.length > 0);
  return { service, world, running };
}

/**
 * A driver on a real database, for a service on loopback. Its clock stands still, also while a call is being answered or
 * a write waits for others.
 */
export async function openWorld(service: ServiceOfTest, given: WorldOptions = {}) {
  const { failPoint, clock = createManualClock(), mappingsOf = () => [MAPPING], ...rest } = given;
  const { mayBeSent = () => true, roomAgain = () => {}, answers, ...options } = rest;
  const { logger, lines } = recordingLogger("debug");
  const directory = newFolder();
  const underWay = new UnderWay();
  let callCount = 0;
  let lazyWrites = 0;
  const openDatabase = () => {
    const opened = Database.open({
      file: withTables(join(directory, "a.db")),
      role: "service",
      ...(failPoint && { failPoint }),
    });
    const writeLazily = opened.writeLazily.bind(opened);
    opened.writeLazily = (label, work) => {
      lazyWrites += 1;
      return writeLazily(label, work).finally(() => {
        lazyWrites -= 1;
      });
    };
    return opened;
  };
  const numberedExchange: typeof exchange = (call) => {
    callCount += 1;
    const number = String(callCount);
    const headers = { ...call.headers, [CALL_NUMBER]: number };
    return underWay.call(exchange({ ...call, headers }), () => service.isHolding?.(number) ?? false);
  };
  /** Lets what is under way end. What waits for other writes is committed, which takes real time otherwise. */
  const settled = async () => {
    await underWay.settled();
    while (lazyWrites > 0) {
      await world.database.write("test", () => {});
      await underWay.settled();
    }
  };
  const fetched: (readonly UpstreamFile[])[] = [];
  const notices: OperatorNotice[] = [];
  const open = (database: Database) => {
    const spool = new ReferenceSpool(join(directory, "references.spool"));
    return new HttpProvider({
      adapter: fakeAdapter(),
      exchange: numberedExchange,
      key: KEY,
      root: service.root,
      settings: { concurrency: 50 },
      references: { publish: async () => [] },
      outputs: {
        async fetch(files, folder, signal, terms) {
          fetched.push(files);
          world.fetchTerms.push(terms);
          if (world.isFetchHanging)
            await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
          const fault = world.fetchFaults.shift();
          if (fault) throw new OutputError(fault);
          const path = join(folder, "1.png");
          writeFileSync(path, "picture");
          return [{ path, mime: "image/png" }];
        },
      },
      database,
      spool,
      notices: recordedNotices(database, clock, notices),
      answers: underWay.all(answers ?? new KeptAnswers(join(directory, "answers"))),
      clock,
      ids: systemIds,
      failPoint: noFailPoint,
      logger,
      ...options,
    });
  };
  const waiting: (() => void)[] = [];
  const start = () =>
    world.provider.start({
      mayHandOver: () => false,
      mayBeSent: (jobId) => world.mayBeSent(jobId),
      async keepLate({ jobId, fetch, write }) {
        const files = await fetch(mkdtempSync(join(directory, "late-")));
        if (!(await world.database.write("late", write))) return undefined;
        const names = files.map(({ path }) => path);
        world.kept.push({ jobId, names });
        return names;
      },
      roomAgain() {
        roomAgain();
        if (takesJobs(world.provider)) for (const wake of waiting.splice(0)) wake();
      },
    });
  const untilTaken = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      waiting.push(resolve);
    });
  const database = openDatabase();
  const world = {
    clock,
    lines,
    directory,
    database,
    isStopped: false,
    mayBeSent,
    provider: open(database),
    fetched,
    /** Files of late results. */
    kept: [] as { jobId: number; names: readonly string[] }[],
    fetchTerms: [] as (FetchTerms | undefined)[],
    notices,
    isFetchHanging: false,
    /** How the next fetches fail. */
    fetchFaults: [] as OutputFault[],
    get store() {
      return world.provider.service.store;
    },
    attempt(jobId = 1): (Attempt & { cost: Cost | undefined }) | undefined {
      const { latest } = world.store.historyOf(jobId);
      return latest && { ...latest, cost: costOf(latest) };
    },
    /** Ends the process as a kill does, from the view of the rows, and begins the next one. */
    async restart(change: Partial<HttpProviderOptions> = {}) {
      await world.stop();
      Object.assign(options, change);
      world.database = openDatabase();
      world.isStopped = false;
      world.provider = open(world.database);
      await start();
    },
    async stop() {
      if (world.isStopped) return;
      for (const running of runs) running.interrupt();
      runs.clear();
      const closed = world.provider.close();
      let isClosed = false;
      void closed.then(() => {
        isClosed = true;
      });
      while (!isClosed) await world.move(500);
      await world.database.close();
      world.isStopped = true;
    },
    run(jobId = 1, change: Partial<UpstreamTask> = {}): Running {
      const abort = new AbortController();
      const running: Running = {
        outcome: undefined,
        places: [],
        postponed: 0,
        error: undefined,
        hasEnded: false,
        ended: Promise.resolve(),
        interrupt: () => abort.abort(new Error("stopped")),
      };
      runs.add(running);
      const task = { ...taskOf(jobId, mkdtempSync(join(directory, "job-"))), ...change };
      const { request, seed, tracks } = task;
      const sold = soldAs(mappingsOf(request.model_key), request, { seed, tracks });
      const operation = "operation" in change ? change.operation : sold;
      const runOnce = () =>
        world.provider.run({ ...task, operation }, abort.signal, (place) => running.places.push(place));
      const runUntilSent = async () => {
        let outcome = await runOnce();
        while (outcome.kind === "postponed") {
          running.postponed += 1;
          if (!takesJobs(world.provider)) await untilTaken(abort.signal);
          outcome = await runOnce();
        }
        if (outcome.kind === "made") await world.database.write("test", (tx) => outcome.onKept?.(tx));
        return outcome;
      };
      running.ended = runUntilSent()
        .then(
          (outcome) => {
            running.outcome = outcome;
          },
          (error: unknown) => {
            running.error = error;
          },
        )
        .finally(() => {
          running.hasEnded = true;
        });
      return running;
    },
    /** Moves time on. Every call that this starts is answered before the next timer fires. */
    async move(ms: number) {
      await clock.advance(ms, settled);
      await settled();
    },
    /** Moves time on in steps until `isSo`. */
    async until(what: string, isSo: () => boolean, { stepMs = 250, maxMs = 20 * 60_000 } = {}) {
      for (let movedMs = 0; !isSo(); movedMs += stepMs) {
        if (movedMs > maxMs) throw new Error(`never happened: ${what}`);
        await world.move(stepMs);
      }
    },
    /** Runs a job to its end. */
    async outcomeOf(jobId = 1, change: Partial<UpstreamTask> = {}): Promise<Outcome | undefined> {
      return world.endOf(world.run(jobId, change));
    },
    async endOf(running: Running, steps?: { stepMs?: number; maxMs?: number }): Promise<Outcome | undefined> {
      await world.until("the job ends", () => running.hasEnded, steps);
      if (running.error) throw running.error;
      return running.outcome;
    },
    /** Runs a job until it is given back unsent, and ends it as the queue does that waits no longer. */
    async givenBack(jobId = 1): Promise<void> {
      const running = world.run(jobId);
      await world.until("the job is given back", () => running.postponed > 0);
      running.interrupt();
      await running.ended;
      world.provider.forget(jobId);
      await world.until("its attempt ends", () => world.attempt(jobId)?.state !== "planned");
    },
    logged: (msg: string) => lines.filter((line) => String(line.msg).includes(msg)),
  };
  const runs = new Set<Running>();
  onTestFinished(() => world.stop());
  await start();
  return world;
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** Reads how the provider is shown to the operator: samples of its metrics, by name and any label. */
export async function readMetrics({ provider }: World) {
  const metrics = await upstreamCollector([provider])();
  return (name: string, label: string) =>
    metrics
      .find((metric) => metric.name === name)
      ?.samples.find(({ labels }) => Object.values(labels ?? {}).includes(label))?.value;
}

function taskOf(jobId: number, directory: string): UpstreamTask {
  return {
    jobId,
    accountId: 1,
    operation: undefined,
    request: { type: "image", model_key: "fox-1", prompt: `fox ${jobId}` },
    model: "fox-1",
    seed: 1,
    tracks: 1,
    references: [],
    directory,
  };
}
