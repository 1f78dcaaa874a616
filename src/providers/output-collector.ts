import type { Json } from "../catalogue/json.js";
import type { UpstreamFile } from "../catalogue/operation.js";
import { isDiskFault, type Transaction } from "../database/database.js";
import type { ProviderHost } from "../jobs/provider.js";
import { StorageUnavailable } from "../media/disk.js";
import { sleep } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import { integer } from "../platform/integer.js";
import { backOffMs } from "../platform/retry.js";
import { MINUTE_MS, SECOND_MS } from "../platform/units.js";
import type { GeneratedFile } from "../workers/worker-pool.js";
import type { Attempt } from "./attempt-store.js";
import type { FetchTerms } from "./fetch-outputs.js";
import { OutputError, type OutputFault } from "./file-inspector.js";
import { failed, filesOf, noFile, notStored, refusedByContent } from "./outcomes.js";
import type { Run } from "./run.js";
import { idsOf, persist, type ServiceContext } from "./service-context.js";
import { causeOf } from "./submitter.js";

export interface TaskOutputs {
  fetch(
    files: readonly UpstreamFile[],
    directory: string,
    signal: AbortSignal,
    terms?: FetchTerms,
  ): Promise<readonly GeneratedFile[]>;
}

interface OutputCollectorOptions extends ServiceContext {
  outputs: TaskOutputs;
  onPollAgain: () => void;
}

const FETCHES_MAX = 8;
/** Number of fetches after which a file of the operator's own software is gone. */
const GONE_AFTER = 2;
const GONE =
  "the file is gone, and the service names it again from its cache: a workflow needs a seed, or an output folder that is kept";
const BLACK = "the picture is black, as a safety checker makes it";
/** Limits the wait for the next run: a job waits for storage for a shorter time. */
const NEXT_RUN_MAX_MS = 20 * MINUTE_MS;
const BACK_OFF = { firstMs: SECOND_MS, maxMs: 30 * SECOND_MS };

/** Fetches the files of finished tasks, beside the polls: a long download delays none of them. */
export class OutputCollector {
  readonly #options: OutputCollectorOptions;
  readonly #running = new Set<Promise<void>>();

  constructor(options: OutputCollectorOptions) {
    this.#options = options;
  }

  /** Collects a row that is `ready` and not polled meanwhile. Ends the run, or has the task polled again. */
  collect(run: Run, document: Json): void {
    const running = this.#collect(run, document)
      .catch((error: unknown) => run.fail(error))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #collect(run: Run, document: Json): Promise<void> {
    const { closing } = this.#options;
    const told = filesOf(this.#options, run.attempt, document);
    if (!told) return this.fail(run, noFile(run.attempt));
    for (let files = told; ; ) {
      run.fetches += 1;
      const fault = await this.#fetch(run, files);
      if (!fault || run.signal.aborted || closing.aborted) return;
      const fresh: readonly UpstreamFile[] | undefined =
        fault === "expired" ? await renewed(this.#options, files) : undefined;
      if (fresh) files = fresh;
      else if (run.attempt.reference) return this.#pollAgain(run, fault);
      else await this.#wait(run);
    }
  }

  /** Returns why it should be tried again. */
  async #fetch(run: Run, files: readonly UpstreamFile[]): Promise<OutputFault | undefined> {
    const { outputs, store, logger, stats, closing, failPoint } = this.#options;
    const { attempt } = run;
    try {
      const signal = AbortSignal.any([run.signal, closing]);
      failPoint("upstream:before-download");
      const made = await outputs.fetch(files, run.task.directory, signal, {
        account: run.task.accountId,
        name: `attempt-${attempt.no}`,
        startFrame: startFrameOf(run.task),
      });
      failPoint("upstream:after-download");
      run.attempt = (await persist(this.#options, attempt, () => store.stored(attempt.id))) ?? attempt;
      stats.noteEnd("stored");
      logger.info({ ...idsOf(attempt), files: made.length }, "attempt stored");
      const reason = made.find(({ unjudged }) => unjudged !== undefined)?.unjudged;
      if (reason !== undefined)
        logger.warn({ ...idsOf(attempt), reason }, "result not judged, it goes out as a document");
      run.end({ files: made });
      return undefined;
    } catch (error) {
      if (run.signal.aborted || closing.aborted) return undefined;
      return this.#judge(run, error);
    }
  }

  async #judge(run: Run, error: unknown): Promise<OutputFault | undefined> {
    const { logger, adapter } = this.#options;
    const fault = faultOf(error);
    const mayTryAgain = fault === "expired" || fault === "unreachable";
    logger.warn({ ...idsOf(run.attempt), fault, fetches: run.fetches, err: error }, "files not fetched");
    if (fault === "storage") await this.#leave(run, error);
    else if (fault === "black") await this.#refuse(run);
    else if (fault === "expired" && adapter.remake && run.fetches >= GONE_AFTER) await this.#remake(run);
    else if (mayTryAgain && run.fetches < FETCHES_MAX) return fault;
    else await this.fail(run, `files not fetched: ${fault ?? reasonOf(error)}`);
    return undefined;
  }

  /** Sends the request with another seed, once: the file is gone, and the same request brings it again from a cache. */
  async #remake(run: Run): Promise<void> {
    const { adapter, store, logger } = this.#options;
    const { attempt } = run;
    const isFirst = store.sentCount(attempt.jobId) === 1;
    if (!isFirst || !adapter.remake?.(attempt.operation)) return this.fail(run, GONE);
    await persist(this.#options, attempt, () => store.setGone(attempt.id, GONE));
    logger.warn(idsOf(attempt), "file of a task is gone, asking for it anew");
    run.end("again");
  }

  /** Leaves the files to the job's next run, when there is storage again. Where none comes, the result is late. */
  async #leave(run: Run, error: unknown): Promise<void> {
    const { store, clock, logger, onPollAgain } = this.#options;
    const { attempt } = run;
    const dueAt = integer(clock.now() + NEXT_RUN_MAX_MS);
    await store
      .pollAgain(attempt.id, dueAt)
      .catch((cause: unknown) => logger.warn({ ...idsOf(attempt), err: cause }, "attempt left as it is"));
    onPollAgain();
    run.end(notStored(error));
  }

  /** Ends a task that was made, and probably paid for. */
  async fail(run: Run, detail: string): Promise<void> {
    const { store, logger, stats } = this.#options;
    const { attempt } = run;
    await persist(this.#options, attempt, () => store.fail(attempt.id, detail));
    stats.noteEnd("failed");
    logger.error({ ...idsOf(attempt), detail }, "finished task has no usable result");
    run.end(failed(detail));
  }

  /** Ends a task whose safety checker has blackened what was made: the person is told, and gets the refund. */
  async #refuse(run: Run): Promise<void> {
    const { store, logger, stats } = this.#options;
    const { attempt } = run;
    await persist(this.#options, attempt, () => store.refuse(attempt.id, "policy", BLACK, attempt.cost));
    stats.noteEnd("refused");
    logger.warn({ ...idsOf(attempt), detail: BLACK }, "attempt refused");
    run.end(refusedByContent(BLACK));
  }

  async #pollAgain(run: Run, fault: OutputFault): Promise<void> {
    const { store, clock, onPollAgain } = this.#options;
    const { attempt } = run;
    const waitMs = fault === "expired" && run.fetches === 1 ? 0 : backOffMs(run.fetches, BACK_OFF);
    await persist(this.#options, attempt, () => store.pollAgain(attempt.id, integer(clock.now() + waitMs)));
    onPollAgain();
  }

  #wait(run: Run): Promise<void> {
    const { clock, closing } = this.#options;
    return sleep(clock, backOffMs(run.fetches, BACK_OFF), run.signal, closing);
  }
}

/** The start frame stands first among references. After a restart there are none: the video goes without a cover. */
function startFrameOf({ request, references }: Run["task"]): string | undefined {
  return typeof request.start_frame_url === "string" ? references[0] : undefined;
}

function faultOf(error: unknown): OutputFault | undefined {
  return error instanceof OutputError ? error.fault : undefined;
}

interface LateCollectorOptions extends ServiceContext {
  outputs: TaskOutputs;
  host: Pick<ProviderHost<Transaction>, "keepLate">;
  onPollAgain: () => void;
}

type Fault = "lost" | "storage" | "passing";

const TRIES_MAX = 8;
const LATE_BACK_OFF = { firstMs: MINUTE_MS, maxMs: 10 * MINUTE_MS };
/** Faults that a later try does not change. */
const LASTING: ReadonlySet<string> = new Set(["not_media", "black", "too_large", "forbidden_host"]);

/** Fetches what was made for jobs that have ended. It is kept for the operator, and never delivered. */
export class LateCollector {
  readonly #options: LateCollectorOptions;
  readonly #running = new Map<number, Promise<void>>();
  readonly #tries = new Map<number, number>();

  constructor(options: LateCollectorOptions) {
    this.#options = options;
  }

  isFetching({ id }: Attempt): boolean {
    return this.#running.has(id);
  }

  /** Collects a row that is `ready` and not polled meanwhile: it gets `stored`, `failed`, or another poll. */
  collect(attempt: Attempt, document: Json): void {
    const { logger } = this.#options;
    const running = this.#collect(attempt, document)
      .catch((error: unknown) =>
        logger.error({ ...idsOf(attempt), err: error }, "late result left to the next start"),
      )
      .finally(() => this.#running.delete(attempt.id));
    this.#running.set(attempt.id, running);
  }

  async ended(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #collect(attempt: Attempt, document: Json): Promise<void> {
    const { closing } = this.#options;
    const files = filesOf(this.#options, attempt, document);
    if (!files) return this.#fail(attempt, noFile(attempt));
    try {
      await this.#keep(attempt, files);
    } catch (error) {
      if (!closing.aborted) await this.#judge(attempt, error);
    }
  }

  async #keep(attempt: Attempt, files: readonly UpstreamFile[]): Promise<void> {
    const { host, store, logger, stats } = this.#options;
    const names = await host.keepLate({
      jobId: attempt.jobId,
      fetch: (directory) => this.#fetch(files, directory),
      write: (tx) => store.storeIn(tx, attempt.id),
    });
    if (!names) return this.#fail(attempt, "the job takes no more files");
    this.#tries.delete(attempt.id);
    stats.noteEnd("late");
    if (!attempt.reference) await this.#removeAnswer(attempt);
    const event = { ...idsOf(attempt), reference: attempt.reference, files: names };
    logger.error(event, "late result kept: its job has ended, not delivered");
  }

  async #removeAnswer(attempt: Attempt): Promise<void> {
    const { answers, logger } = this.#options;
    await answers.remove(attempt.uuid).catch((error: unknown) => {
      logger.warn({ ...idsOf(attempt), err: error }, "kept answer not removed");
    });
  }

  async #fetch(files: readonly UpstreamFile[], directory: string): Promise<readonly GeneratedFile[]> {
    const { outputs, closing, failPoint } = this.#options;
    failPoint("upstream:before-late-download");
    try {
      return await outputs.fetch(files, directory, closing);
    } catch (error) {
      const isExpired = error instanceof OutputError && error.fault === "expired";
      const fresh = isExpired ? await renewed(this.#options, files) : undefined;
      if (!fresh) throw error;
      return outputs.fetch(fresh, directory, closing);
    }
  }

  async #judge(attempt: Attempt, error: unknown): Promise<void> {
    const { store, clock, logger, onPollAgain } = this.#options;
    const fault = lateFaultOf(error);
    const tries = (this.#tries.get(attempt.id) ?? 0) + (fault === "passing" ? 1 : 0);
    this.#tries.set(attempt.id, tries);
    logger.warn({ ...idsOf(attempt), fault, tries, err: error }, "files of a late result not fetched");
    if (fault === "lost" || tries >= TRIES_MAX)
      return this.#fail(attempt, `late files not fetched: ${reasonOf(error)}`);
    const dueAt = integer(clock.now() + backOffMs(Math.max(1, tries), LATE_BACK_OFF));
    await persist(this.#options, attempt, () => store.pollAgain(attempt.id, dueAt));
    onPollAgain();
  }

  /** Ends a task that was made, and probably paid for. */
  async #fail(attempt: Attempt, detail: string): Promise<void> {
    const { store, logger, stats } = this.#options;
    this.#tries.delete(attempt.id);
    await persist(this.#options, attempt, () => store.fail(attempt.id, detail));
    stats.noteEnd("failed");
    logger.error({ ...idsOf(attempt), reference: attempt.reference, detail }, "late result not kept");
  }
}

function lateFaultOf(error: unknown): Fault {
  if (error instanceof StorageUnavailable || isDiskFault(error)) return "storage";
  if (!(error instanceof OutputError)) return "passing";
  if (error.fault === "storage") return "storage";
  return LASTING.has(error.fault) ? "lost" : "passing";
}

/** Returns the files with fresh addresses; undefined where the service does not renew them. */
async function renewed(
  context: Pick<ServiceContext, "adapter" | "calls" | "logger">,
  files: readonly UpstreamFile[],
): Promise<readonly UpstreamFile[] | undefined> {
  if (!context.adapter.renew) return undefined;
  const fresh: UpstreamFile[] = [];
  for (const file of files) {
    const url = "url" in file.source ? await renewedUrl(context, file.source.url) : undefined;
    if (url === undefined) return undefined;
    fresh.push({ ...file, source: { url } });
  }
  return fresh;
}

async function renewedUrl(
  { adapter, calls, logger }: Pick<ServiceContext, "adapter" | "calls" | "logger">,
  url: string,
): Promise<string | undefined> {
  const call = adapter.renew?.(url);
  if (!call || !adapter.readRenew) return undefined;
  try {
    return adapter.readRenew(await calls.ask(call));
  } catch (error) {
    logger.debug({ reason: causeOf(error) }, "address of a result not renewed");
    return undefined;
  }
}
