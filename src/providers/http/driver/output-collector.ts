import type { Json } from "../../../mapping/json.js";
import type { UpstreamFile } from "../../../mapping/operation.js";
import { sleep } from "../../../platform/clock.js";
import { integer } from "../../../platform/integer.js";
import { reasonOf } from "../../../platform/reason-of.js";
import { backOffMs } from "../../../platform/retry.js";
import { MINUTE_MS, SECOND_MS } from "../../../platform/units.js";
import type { GeneratedFile } from "../../../ports/provider.js";
import type { FetchTerms } from "../outputs/fetch-outputs.js";
import { OutputError, type OutputFault } from "../outputs/output-error.js";
import { filesOf, noFile } from "./files-of.js";
import { failed, notStored, refusedByContent } from "./outcomes.js";
import { renewed } from "./renew-files.js";
import type { Run } from "./run.js";
import { idsOf, persist, type ServiceContext } from "./service-context.js";

export interface TaskOutputs {
  fetch(
    files: readonly UpstreamFile[],
    directory: string,
    signal: AbortSignal,
    terms?: FetchTerms,
  ): Promise<readonly GeneratedFile[]>;
}

export interface OutputCollectorOptions extends ServiceContext {
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
