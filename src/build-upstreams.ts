import { join } from "node:path";
import type { Config, Secrets } from "./config.js";
import type { Catalogue } from "./core/core.js";
import type { Database } from "./database/database.js";
import type { MediaDisk } from "./media/disk.js";
import { openLocalMedia } from "./media/local-media.js";
import { mediaClock } from "./media/media-cleanup.js";
import { PublishedReferences } from "./media/published-references.js";
import { type CancelTimer, type Clock, sleep } from "./platform/clock.js";
import type { FailPoint } from "./platform/fail-point.js";
import type { Ids } from "./platform/ids.js";
import type { Logger } from "./platform/logger.js";
import { repeat } from "./platform/retry.js";
import { StartError } from "./platform/start-error.js";
import { MINUTE_MS, SECOND_MS } from "./platform/units.js";
import type { Callbacks } from "./ports/callbacks.js";
import type { OperatorNotices } from "./ports/operator-notices.js";
import type { Collector, Service } from "./ports/service.js";
import type { SignedFile, SignedFiles } from "./ports/signed-files.js";
import type { UpstreamAdapter } from "./providers/http/adapter.js";
import { ADAPTERS } from "./providers/http/adapters.js";
import { HttpProvider, type HttpProviderOptions } from "./providers/http/driver/http-provider.js";
import { KeptAnswers } from "./providers/http/driver/kept-answers.js";
import { upstreamCollector } from "./providers/http/driver/metrics.js";
import type { ReferenceSpool } from "./providers/http/driver/reference-spool.js";
import { StateStore } from "./providers/http/driver/state-store.js";
import { FileInspector } from "./providers/http/outputs/file-inspector.js";
import { createReferenceLink, isReadableElsewhere } from "./providers/http/references/reference-link.js";
import { openServiceIo } from "./providers/http/service-io.js";

const IDLE_CHECK_MS = 15_000;
/** Limits the wait for the running service, which looks every 2 s. */
const CONFIRM_MS = 10 * SECOND_MS;
const LOOK_EVERY_MS = 100;

export interface UpstreamParts {
  config: Config;
  secrets: Secrets;
  catalogue: Catalogue;
  database: Database;
  mediaDisk: MediaDisk;
  linkSecret: string;
  spool: ReferenceSpool;
  notices: OperatorNotices;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  failPoint: FailPoint;
}

/** The services of PROVIDERS, with what they share. */
export interface Upstreams {
  providers: readonly HttpProvider[];
  /** Links to references that the services read; absent where PUBLIC_URL is not public. */
  files: SignedFiles | undefined;
  collector: Collector;
  callbacks: Callbacks;
  /** Must run before the providers are started. */
  start(): Promise<void>;
  /** Must run after the providers have been closed. */
  close(): Promise<void>;
}

const RESERVED_EVERY_MS = MINUTE_MS;

/** Builds the services of PROVIDERS. Throws StartError. */
export function upstreamProviders(parts: UpstreamParts): Upstreams {
  const { config, clock } = parts;
  const trusted = mediaClock(parts);
  const answers = new KeptAnswers(join(config.dataDir, "upstream-answers"));
  const published = isReadableElsewhere(config.publicUrl) ? publishedReferences(parts) : undefined;
  const inspector = new FileInspector({ clock });
  let cancelReserving = () => {};
  const closers: (() => Promise<unknown>)[] = [() => inspector.close()];
  for (const name of idleServices(parts.catalogue, Object.keys(config.upstreams))) {
    parts.logger.warn({ provider: name }, "no active model of the catalogue has a mapping for this service");
  }
  const providers = Object.keys(config.upstreams).map((name) => {
    const { options, close } = optionsOf(name, parts, { answers, inspector, published });
    closers.push(close);
    return new HttpProvider(options);
  });
  return {
    providers,
    files: published?.files,
    collector: upstreamCollector(providers),
    callbacks: callbacksOf(providers),
    async start() {
      if (providers.length > 0) cancelReserving = keepRoom(parts);
      await answers.removeOld(trusted.now()).catch((error: unknown) => {
        parts.logger.warn({ err: error }, "old answers of services not removed");
      });
      await published?.start();
    },
    async close() {
      cancelReserving();
      await published?.stop();
      await Promise.all(closers.map((close) => close()));
    },
  };
}

/** Reserves the room of the spool, also after it was used. On a full disk it is tried again. */
function keepRoom({ spool, clock, logger }: UpstreamParts): CancelTimer {
  return repeat(clock, RESERVED_EVERY_MS, () => {
    try {
      spool.reserve();
    } catch (error) {
      logger.warn({ err: error }, "no room reserved for the spool of references");
    }
  });
}

/**
 * Tries a service now that takes no tasks, and waits until the process that runs on DATA_DIR does so. Idempotent.
 * @returns false when that process has not confirmed in time
 */
export async function resumeUpstream(
  { database, clock, isRunning }: { database: Database; clock: Clock; isRunning: () => boolean },
  name: string,
): Promise<boolean> {
  const store = new StateStore(database, name);
  await store.askToResume(clock.now());
  for (let waitedMs = 0; waitedMs < CONFIRM_MS; waitedMs += LOOK_EVERY_MS) {
    if (!isRunning()) await store.remove();
    if (!store.read()?.isResumeAsked) return true;
    await sleep(clock, LOOK_EVERY_MS);
  }
  return false;
}

/** Lists services of PROVIDERS that no model is made by, such as one whose models the operator has not switched on. */
export function idleServices(
  { entries }: Pick<UpstreamParts["catalogue"], "entries">,
  names: readonly string[],
): string[] {
  const served = new Set(
    entries.flatMap(({ status, mappings }) => (status === "active" ? Object.keys(mappings) : [])),
  );
  return names.filter((name) => !served.has(name));
}

function callbacksOf(providers: readonly HttpProvider[]): Callbacks {
  const byName = new Map(providers.map((provider) => [provider.name, provider]));
  return {
    take: (service, token) => byName.get(service)?.callbacks.take(token),
    drop: (service) => byName.get(service)?.callbacks.drop(),
  };
}

/** Adds the services' metrics, the links that they read, and what they call. */
export function withUpstreams(service: Service, { files, collector, callbacks }: Upstreams): Service {
  const { findSignedFile } = service.routes.files;
  const find = async (file: SignedFile) => {
    const found = await findSignedFile(file);
    return found.outcome === "gone" && files ? files.findSignedFile(file) : found;
  };
  const routes = { ...service.routes, files: { findSignedFile: find }, callbacks };
  return { ...service, routes, collectors: [...service.collectors, collector] };
}

interface Shared {
  answers: KeptAnswers;
  inspector: FileInspector;
  published: PublishedReferences | undefined;
}

function optionsOf(
  name: string,
  parts: UpstreamParts,
  { answers, inspector, published }: Shared,
): { options: HttpProviderOptions; close: () => Promise<unknown> } {
  const { config, secrets, catalogue, database, spool, notices, clock, ids, logger, failPoint } = parts;
  const adapter = ADAPTERS.find((known) => known.name === name);
  if (!adapter) throw new StartError(`PROVIDERS: ${name} is not known`);
  const settings = Object.hasOwn(catalogue.services, name) ? catalogue.services[name] : undefined;
  if (!settings) throw new StartError(`CATALOGUE_FILE: services.${name} is missing, and PROVIDERS names it`);
  const { apiRoot, concurrency } = config.upstreams[name] ?? {};
  const root = apiRoot === undefined ? undefined : new URL(apiRoot);
  if (root && adapter.fileHostsOfRoot) {
    const hosts = `its own host, and public hosts over https on port 443`;
    logger.warn({ provider: name, hosts }, "files of results are taken from these hosts only");
  }
  const agent = { proxy: { httpsProxy: secrets.httpsProxy, noProxy: config.noProxy } };
  const key = secrets.upstreamKeys[name] ?? "";
  const link = published && createReferenceLink(published);
  const io = openServiceIo({ adapter, key, root, agent, inspector, link, clock, ids });
  const options: HttpProviderOptions = {
    adapter,
    key,
    root,
    agent,
    settings,
    concurrency,
    idleCheckMs: isOwn(adapter) ? IDLE_CHECK_MS : undefined,
    outputs: io.outputs,
    references: io.references,
    callbackUrl: callbackUrl(config.publicUrl, name),
    canBeCalled: isReadableElsewhere(config.publicUrl),
    database,
    spool,
    answers,
    notices,
    clock,
    ids,
    logger,
    failPoint,
  };
  return { options, close: io.close };
}

/** Tells whether the operator runs the software: it has no address of its own, and is down more often. */
function isOwn({ apiHosts }: Pick<UpstreamAdapter, "apiHosts">): boolean {
  return apiHosts.every((host) => host.endsWith(".invalid"));
}

/** Returns the address that a service calls; each attempt adds a token of its own. Nobody answers under `.invalid`. */
export function callbackUrl(publicUrl: string, name: string): string {
  const base = isReadableElsewhere(publicUrl) ? publicUrl : "https://atelier.invalid";
  return `${base}/hooks/${name}`;
}

function publishedReferences(parts: UpstreamParts) {
  const { config, linkSecret, database, mediaDisk, clock, ids, logger, failPoint } = parts;
  const directory = join(config.dataDir, "references");
  return new PublishedReferences({
    publicUrl: config.publicUrl,
    linkSecret,
    database,
    media: openLocalMedia({ disk: mediaDisk, directory, ids, failPoint }),
    clock,
    ids,
    logger,
  });
}
