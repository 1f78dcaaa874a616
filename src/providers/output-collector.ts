import type { Json } from "../catalogue/json.js";
import type { UpstreamFile } from "../catalogue/operation.js";
import { isDiskFault, type Transaction } from "../database/database.js";
import { madeNothing } from "../jobs/provider.js";
import { StorageUnavailable } from "../media/disk.js";
import { sleep } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import { integer } from "../platform/integer.js";
import { backOffMs } from "../platform/retry.js";
import { MINUTE_MS, SECOND_MS } from "../platform/units.js";
import type { GeneratedFile } from "../workers/worker-pool.js";
import { type Attempt, costOf } from "./attempt-store.js";
import { OutputError, type OutputFault } from "./file-inspector.js";
import { causeOf, filesOf, noFile, notStored, refusedByContent } from "./outcomes.js";
import { idsOf, type Run, type Service } from "./service.js";

const FETCHES_MAX = 8;
/** Number of fetches after which what is no media was made so: before, it may be a page in its place. */
const NO_MEDIA_MAX = 3;
/** Number of fetches after which a file of the operator's own software is gone. */
const GONE_AFTER = 2;
const GONE =
  "the file is gone, and the service names it again from its cache: a workflow needs a seed, or an output folder that is kept";
const BLACK = "the picture is black, as a safety checker makes it";
/** Limits the wait for the next run: a job waits for storage for a shorter time. */
const NEXT_RUN_MAX_MS = 20 * MINUTE_MS;
const BACK_OFF = { firstMs: SECOND_MS, maxMs: 30 * SECOND_MS };

/** Retries of files that no job waits for. */
const LATE_TRIES_MAX = 8;
const LATE_BACK_OFF = { firstMs: MINUTE_MS, maxMs: 10 * MINUTE_MS };
/** Faults that a later try does not change. */
const LASTING: ReadonlySet<string> = new Set(["not_media", "black", "too_large", "forbidden_host"]);

/**
 * Fetches the files of finished tasks, beside the polls: a long download delays none of them. What was made for a job
 * that has ended is kept for the operator, and never delivered.
 */
export class OutputCollector {
  readonly #running = new Set<Promise<void>>();
  readonly #late = new Set<number>();
  readonly #lateTries = new Map<number, number>();

  constructor(private readonly service: Service) {}

  /** Ends the run, or has the task polled again. The row is `ready`, and not polled meanwhile. */
  collect(run: Run, document: Json): void {
    this.#keepUntilEnded(this.#collect(run, document).catch((error: unknown) => run.fail(error)));
  }

  /** Ends with the row `stored`, `failed`, or polled again. */
  collectLate(attempt: Attempt, document: Json): void {
    const { logger } = this.service;
    this.#late.add(attempt.attempt_id);
    const collecting = this.#collectLate(attempt, document)
      .catch((error: unknown) =>
        logger.error({ ...idsOf(attempt), err: error }, "late result left to the next start"),
      )
      .finally(() => this.#late.delete(attempt.attempt_id));
    this.#keepUntilEnded(collecting);
  }

  /** True while the files of a late task are fetched. */
  isFetching({ attempt_id: id }: Attempt): boolean {
    return this.#late.has(id);
  }

  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  #keepUntilEnded(collecting: Promise<void>): void {
    const running = collecting.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #collect(run: Run, document: Json): Promise<void> {
    const { clock, closing } = this.service;
    const told = filesOf(this.service, run.attempt, document);
    if (!told) return this.fail(run, noFile(run.attempt));
    for (let files = told; ; ) {
      run.fetches += 1;
      const fault = await this.#fetch(run, files);
      if (!fault || run.signal.aborted || closing.aborted) return;
      const fresh: readonly UpstreamFile[] | undefined =
        fault === "expired" ? await renewed(this.service, files) : undefined;
      if (fresh) files = fresh;
      else if (!run.attempt.reference)
        await sleep(clock, backOffMs(run.fetches, BACK_OFF), run.signal, closing);
      else {
        const isFirst = fault === "expired" && run.fetches === 1;
        return this.#pollIn(run.attempt, isFirst ? 0 : backOffMs(run.fetches, BACK_OFF));
      }
    }
  }

  /** Returns why it should be tried again. */
  async #fetch(run: Run, files: readonly UpstreamFile[]): Promise<OutputFault | undefined> {
    const { store, logger, closing, failPoint, options } = this.service;
    const { attempt, task } = run;
    try {
      const signal = AbortSignal.any([run.signal, closing]);
      failPoint("upstream:before-download");
      const made = await options.outputs.fetch(files, task.directory, signal, {
        account: task.accountId,
        name: `attempt-${attempt.no}`,
        // It stands first among references. After a restart there are none: the video goes without a cover.
        startFrame: typeof task.request.start_frame_url === "string" ? task.references[0] : undefined,
      });
      failPoint("upstream:after-download");
      const reason = made.find(({ unjudged }) => unjudged !== undefined)?.unjudged;
      if (reason !== undefined)
        logger.warn({ ...idsOf(attempt), reason }, "result not judged, it goes out as a document");
      const onKept = (tx: Transaction) => {
        if (!store.storeIn(tx, attempt.attempt_id)) return;
        tx.afterCommit(() => logger.info({ ...idsOf(attempt), files: made.length }, "attempt stored"));
      };
      run.end({ kind: "made", files: made, onKept });
      return undefined;
    } catch (error) {
      if (run.signal.aborted || closing.aborted) return undefined;
      return this.#judge(run, error);
    }
  }

  async #judge(run: Run, error: unknown): Promise<OutputFault | undefined> {
    const { logger, adapter } = this.service;
    const fault = faultOf(error);
    const mayTryAgain = fault === "expired" || fault === "unreachable" || fault === "not_media";
    const fetchesMax = fault === "not_media" ? NO_MEDIA_MAX : FETCHES_MAX;
    logger.warn({ ...idsOf(run.attempt), fault, fetches: run.fetches, err: error }, "files not fetched");
    if (fault === "storage") await this.#leave(run, error);
    else if (fault === "black") await this.#refuse(run);
    else if (fault === "expired" && adapter.remake && run.fetches >= GONE_AFTER) await this.#remake(run);
    else if (mayTryAgain && run.fetches < fetchesMax) return fault;
    else await this.fail(run, `files not fetched: ${fault ?? reasonOf(error)}`);
    return undefined;
  }

  /** Sends the request with another seed, once: the file is gone, and the same request brings it again from a cache. */
  async #remake(run: Run): Promise<void> {
    const { adapter, store, logger } = this.service;
    const { attempt } = run;
    const isFirst = store.historyOf(attempt.job_id).sentCount === 1;
    if (!isFirst || !adapter.remake?.(attempt.operation)) return this.fail(run, GONE);
    await this.service.persist(attempt, () => store.cancel(attempt.attempt_id, ["ready"], GONE));
    logger.warn(idsOf(attempt), "file of a task is gone, asking for it anew");
    run.end("again");
  }

  /** Leaves the files to the job's next run, when there is storage again. Where none comes, the result is late. */
  async #leave(run: Run, error: unknown): Promise<void> {
    const { store, clock, logger } = this.service;
    const { attempt } = run;
    const dueAt = integer(clock.now() + NEXT_RUN_MAX_MS);
    await store
      .pollAgain(attempt.attempt_id, dueAt)
      .catch((cause: unknown) => logger.warn({ ...idsOf(attempt), err: cause }, "attempt left as it is"));
    this.service.wake();
    run.end(notStored(error));
  }

  /** Ends a task that was made, and whose job gets its refund. */
  async fail(run: Run, detail: string): Promise<void> {
    await this.#endPaid(run.attempt, detail, "finished task has no usable result");
    run.end(madeNothing(detail));
  }

  /** Ends a task whose safety checker has blackened what was made: the person is told, and gets the refund. */
  async #refuse(run: Run): Promise<void> {
    const { store, logger } = this.service;
    const { attempt } = run;
    await this.service.persist(attempt, () =>
      store.refuse(attempt.attempt_id, "policy", BLACK, costOf(attempt)),
    );
    logger.warn({ ...idsOf(attempt), detail: BLACK }, "attempt refused");
    run.end(refusedByContent(BLACK));
  }

  async #pollIn(attempt: Attempt, waitMs: number): Promise<void> {
    const { store, clock } = this.service;
    const dueAt = integer(clock.now() + waitMs);
    await this.service.persist(attempt, () => store.pollAgain(attempt.attempt_id, dueAt));
    this.service.wake();
  }

  async #collectLate(attempt: Attempt, document: Json): Promise<void> {
    const { host, store, closing, logger } = this.service;
    const files = filesOf(this.service, attempt, document);
    if (!files) return this.#failLate(attempt, noFile(attempt));
    try {
      const names = await host.keepLate({
        jobId: attempt.job_id,
        fetch: (directory) => this.#fetchLate(files, directory),
        write: (tx) => store.storeIn(tx, attempt.attempt_id),
      });
      if (!names) return await this.#failLate(attempt, "the job takes no more files");
      this.#lateTries.delete(attempt.attempt_id);
      if (!attempt.reference) await this.service.removeAnswer(attempt);
      const event = { ...idsOf(attempt), reference: attempt.reference, files: names };
      logger.error(event, "late result kept: its job has ended, not delivered");
    } catch (error) {
      if (!closing.aborted) await this.#judgeLate(attempt, error);
    }
  }

  async #fetchLate(files: readonly UpstreamFile[], directory: string): Promise<readonly GeneratedFile[]> {
    const { closing, failPoint, options } = this.service;
    failPoint("upstream:before-late-download");
    try {
      return await options.outputs.fetch(files, directory, closing);
    } catch (error) {
      const fresh = faultOf(error) === "expired" ? await renewed(this.service, files) : undefined;
      if (!fresh) throw error;
      return options.outputs.fetch(fresh, directory, closing);
    }
  }

  async #judgeLate(attempt: Attempt, error: unknown): Promise<void> {
    const fault = lateFaultOf(error);
    const tries = (this.#lateTries.get(attempt.attempt_id) ?? 0) + (fault === "passing" ? 1 : 0);
    this.#lateTries.set(attempt.attempt_id, tries);
    const event = { ...idsOf(attempt), fault, tries, err: error };
    this.service.logger.warn(event, "files of a late result not fetched");
    if (fault === "lost" || tries >= LATE_TRIES_MAX)
      return this.#failLate(attempt, `late files not fetched: ${reasonOf(error)}`);
    await this.#pollIn(attempt, backOffMs(Math.max(1, tries), LATE_BACK_OFF));
  }

  async #failLate(attempt: Attempt, detail: string): Promise<void> {
    this.#lateTries.delete(attempt.attempt_id);
    await this.#endPaid(attempt, detail, "late result not kept");
  }

  /** Ends a task that was made, and probably paid for. */
  async #endPaid(attempt: Attempt, detail: string, event: string): Promise<void> {
    const { store, logger } = this.service;
    await this.service.persist(attempt, () => store.fail(attempt.attempt_id, detail));
    const { reference } = attempt;
    logger.error({ ...idsOf(attempt), ...(attempt.late === 1 && { reference }), detail }, event);
  }
}

function faultOf(error: unknown): OutputFault | undefined {
  return error instanceof OutputError ? error.fault : undefined;
}

function lateFaultOf(error: unknown): "lost" | "storage" | "passing" {
  if (error instanceof StorageUnavailable || isDiskFault(error)) return "storage";
  if (!(error instanceof OutputError)) return "passing";
  if (error.fault === "storage") return "storage";
  return LASTING.has(error.fault) ? "lost" : "passing";
}

/** Returns the files with fresh addresses; undefined where the service does not renew them. */
async function renewed(
  { adapter, calls, logger }: Service,
  files: readonly UpstreamFile[],
): Promise<readonly UpstreamFile[] | undefined> {
  const fresh: UpstreamFile[] = [];
  for (const file of files) {
    const question = "url" in file.source ? adapter.renew?.(file.source.url) : undefined;
    try {
      const url = question?.read(await calls.ask(question.call));
      if (url === undefined) return undefined;
      fresh.push({ ...file, source: { url } });
    } catch (error) {
      logger.debug({ reason: causeOf(error) }, "address of a result not renewed");
      return undefined;
    }
  }
  return fresh;
}
