import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { type Catalogue, type CatalogueSource, loadCatalogue } from "../../src/catalogue/catalogue.js";
import { ContractError } from "../../src/contract/errors.js";
import { isFinished, type Job, type JobId } from "../../src/contract/job.js";
import type { Model } from "../../src/contract/model.js";
import { asKopecks } from "../../src/contract/price.js";
import type { Accepted, GenerationRequest } from "../../src/contract/request.js";
import { createAdminService } from "../../src/core/admin-service.js";
import {
  createEmbeddedService,
  type EmbeddedService,
  type EmbeddedServiceOptions,
  type EmbeddedSettings,
} from "../../src/core/embedded-service.js";
import { Database } from "../../src/database/database.js";
import type { Provider } from "../../src/jobs/provider.js";
import { type PricedRequest, readRequest } from "../../src/jobs/read-request.js";
import { queueDepth } from "../../src/jobs/scheduler.js";
import { type MediaDisk, nodeMediaDisk } from "../../src/media/disk.js";
import { openLocalMedia } from "../../src/media/reference-store.js";
import type { Moderation } from "../../src/moderation/moderation.js";
import type { Clock } from "../../src/platform/clock.js";
import { type FailPoint, noFailPoint } from "../../src/platform/fail-point.js";
import { systemIds } from "../../src/platform/ids.js";
import type { Logger } from "../../src/platform/logger.js";
import type { Gateway, ResultFile } from "../../src/ports/gateway.js";
import { NoticeQueue } from "../../src/ports/operator-notices.js";
import { ALONE, SETTINGS } from "./core-settings.js";
import { withTables } from "./empty-database.js";
import { eventually } from "./eventually.js";
import { silentLogger } from "./log.js";
import { createManualClock, type ManualClock } from "./manual-clock.js";
import { newFolder } from "./new-folder.js";
import { createStubProvider, type StubProvider } from "./stub-provider.js";

export const catalogue = loadCatalogue("data/catalogue.json");

/** A model that the project sells. */
export function modelOf(key: string): Model {
  const model = catalogue.models.find(({ model_key }) => model_key === key);
  if (!model) throw new Error(`no model ${key}`);
  return model;
}

export const IMAGE: GenerationRequest = { type: "image", model_key: "nano-banana-2", prompt: "a red fox" };
export const MUSIC: GenerationRequest = {
  type: "music",
  model_key: "music:suno-v5",
  description: "a slow song about the sea",
};

export interface TestCoreOptions {
  notices?: NoticeQueue;
  /** A data directory that an earlier core used; a new one by default. */
  directory?: string;
  settings?: Partial<EmbeddedSettings>;
  provider?: StubProvider;
  /** Several instead of `provider`, in order of preference. */
  providers?: readonly Provider[] | ((parts: CoreParts) => readonly Provider[]);
  catalogue?: Catalogue;
  /** Instead of `catalogue`: one that may change. */
  offers?: CatalogueSource;
  clock?: ManualClock;
  logger?: Logger;
  failPoint?: FailPoint;
  mediaDisk?: MediaDisk;
  readReference?: EmbeddedServiceOptions["readReference"];
  isOrderOpen?: EmbeddedServiceOptions["isOrderOpen"];
  moderation?: Moderation;
}

/** What providers of the same core need. */
export interface CoreParts {
  database: Database;
  clock: Clock;
  directory: string;
}

/** A core on a real database and a real folder, with a stub provider and a clock that stands still. */
export type TestCore = ReturnType<typeof makeTestCore>;

/** A core on the database and the clock of others. */
export function testCoreOn(
  parts: CoreParts,
  options: Omit<TestCoreOptions, "directory" | "clock"> = {},
): EmbeddedService {
  const { provider = createStubProvider(), providers: given = [provider], failPoint } = options;
  const { database, clock, directory } = parts;
  const mediaDirectory = join(directory, "media");
  const media = { disk: options.mediaDisk ?? nodeMediaDisk, directory: mediaDirectory, ids: systemIds };
  return createEmbeddedService({
    database,
    offers: options.offers ?? { current: () => options.catalogue ?? catalogue },
    providers: typeof given === "function" ? given(parts) : given,
    media: openLocalMedia(media.disk, media.directory, media.ids, failPoint ?? noFailPoint),
    identityKind: "telegram",
    clock,
    ids: systemIds,
    logger: options.logger ?? silentLogger(),
    settings: { ...SETTINGS, ...options.settings },
    linkSecret: "0123456789abcdef0123456789abcdef",
    failPoint: failPoint ?? noFailPoint,
    ...ALONE,
    ...(options.readReference && { readReference: options.readReference }),
    notices: options.notices ?? new NoticeQueue(),
    ...(options.moderation && { moderation: options.moderation }),
    ...(options.isOrderOpen && { isOrderOpen: options.isOrderOpen }),
  });
}

/** A core that closes with its test. */
export function openTestCore(options?: TestCoreOptions): TestCore {
  const world = makeTestCore(options);
  onTestFinished(world.close);
  return world;
}

export function makeTestCore(options: TestCoreOptions = {}) {
  const directory = options.directory ?? newFolder();
  const { provider = createStubProvider(), clock = createManualClock(), failPoint } = options;
  const mediaDirectory = join(directory, "media");
  const file = withTables(join(directory, "atelier.db"));
  const database = Database.open({ file, role: "service", ...(failPoint && { failPoint }) });
  const core = testCoreOn({ database, clock, directory }, { ...options, provider });
  let closed: Promise<void> | undefined;
  let corrections = 0;
  const correctionOf = (userId: number, kopecks: number) => {
    corrections += 1;
    const idempotencyKey = `test:${userId}:${corrections}`;
    return { userId, kopecks: asKopecks(kopecks), reason: null, actor: "test", idempotencyKey };
  };
  /** The gateway of a user, with a first credit when asked for. */
  const person = async (userId: number, kopecks = 0): Promise<Gateway> => {
    const gateway = await core.gateways.of({ id: userId, name: `person ${userId}` });
    if (gateway === "not_connected") throw new Error("an embedded core connects everyone");
    if (kopecks > 0) await core.accounts.users.credit(correctionOf(userId, kopecks));
    return gateway;
  };
  /** Waits until a job has ended. */
  const ended = (gateway: Gateway, id: JobId): Promise<Job> =>
    eventually(`the end of job ${id}`, async () => {
      const job = await gateway.job(id);
      return isFinished(job) && job;
    });
  return {
    core,
    database,
    adminService: createAdminService(database, clock),
    provider,
    clock,
    directory,
    mediaDirectory,
    person,
    /** Starts the core. Returns the gateway of its first user. */
    async begun(kopecks?: number) {
      await core.start();
      return person(1, kopecks);
    },
    ended,
    /** Places an order and waits until its jobs have ended. */
    async made(gateway: Gateway, id: string, request?: GenerationRequest): Promise<Accepted> {
      const accepted = await order(gateway, id, request);
      for (const job of accepted.job_ids) await ended(gateway, job);
      return accepted;
    },
    /** Takes so much from the balance of a user. */
    async spend(userId: number, kopecks: number): Promise<void> {
      await core.accounts.users.debit(correctionOf(userId, kopecks));
    },
    /** The value of a metric, summed over the samples with these labels. */
    async metric(name: string, labels: Readonly<Record<string, string>> = {}) {
      const metrics = (await Promise.all(core.collectors.map((collect) => collect()))).flat();
      const found = metrics.find((metric) => metric.name === name);
      if (!found) throw new Error(`no metric is called ${name}`);
      return found.samples
        .filter((sample) =>
          Object.entries(labels).every(([label, value]) => sample.labels?.[label] === value),
        )
        .reduce((sum, { value }) => sum + value, 0);
    },
    /** How many jobs wait. */
    queued: async () => (await queueDepth(database)).reduce((sum, { jobs }) => sum + jobs, 0),
    /** Names of the files in the store. */
    async storedFiles() {
      const names = await readdir(join(mediaDirectory, "files"), { recursive: true }).catch(() => []);
      return names.filter((name) => name.includes("."));
    },
    /** What the health check of the storage tells. */
    isStorageGood: async () =>
      (await Promise.all(core.healthChecks.map(({ isGood }) => isGood()))).every(Boolean),
    /** Stops the core and closes its database; the folder stays. */
    close() {
      closed ??= core.stop().then(() => database.close());
      return closed;
    },
  };
}

/** What a request costs and becomes. */
export function quote(request: GenerationRequest, isOwnLink?: (url: string) => boolean): PricedRequest {
  return readRequest(request, catalogue, isOwnLink);
}

/** Submits a request at its true price. */
export function order(
  gateway: Gateway,
  id: string,
  request: GenerationRequest = IMAGE,
  isOwnLink?: (url: string) => boolean,
): Promise<Accepted> {
  return gateway.submit(request, { id, quotedKopecks: quote(request, isOwnLink).totalKopecks });
}

/** Opens a file of a finished job. */
export async function openResult(
  gateway: Gateway,
  id: JobId,
  index: number,
  kind: ResultFile["kind"] = "result",
): Promise<ResultFile & { stream: Readable }> {
  const file = (await gateway.results(await gateway.job(id))).find(
    (one) => one.kind === kind && one.index === index,
  );
  if (!file) throw new ContractError("job_not_found");
  return { ...file, stream: (await file.open()).stream };
}
