import { isDiskFault } from "../../../database/errors.js";
import type { Transaction } from "../../../database/transaction.js";
import type { Json } from "../../../mapping/json.js";
import type { UpstreamFile } from "../../../mapping/operation.js";
import { integer } from "../../../platform/integer.js";
import { reasonOf } from "../../../platform/reason-of.js";
import { backOffMs } from "../../../platform/retry.js";
import { MINUTE_MS } from "../../../platform/units.js";
import { StorageUnavailable } from "../../../ports/blob-store.js";
import type { GeneratedFile, ProviderHost } from "../../../ports/provider.js";
import { OutputError } from "../outputs/output-error.js";
import type { Attempt } from "./attempt.js";
import { filesOf, noFile } from "./files-of.js";
import type { TaskOutputs } from "./output-collector.js";
import { renewed } from "./renew-files.js";
import { idsOf, persist, type ServiceContext } from "./service-context.js";

export interface LateCollectorOptions extends ServiceContext {
  outputs: TaskOutputs;
  host: Pick<ProviderHost<Transaction>, "keepLate">;
  onPollAgain: () => void;
}

type Fault = "lost" | "storage" | "passing";

const TRIES_MAX = 8;
const BACK_OFF = { firstMs: MINUTE_MS, maxMs: 10 * MINUTE_MS };
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
    const fault = faultOf(error);
    const tries = (this.#tries.get(attempt.id) ?? 0) + (fault === "passing" ? 1 : 0);
    this.#tries.set(attempt.id, tries);
    logger.warn({ ...idsOf(attempt), fault, tries, err: error }, "files of a late result not fetched");
    if (fault === "lost" || tries >= TRIES_MAX)
      return this.#fail(attempt, `late files not fetched: ${reasonOf(error)}`);
    const dueAt = integer(clock.now() + backOffMs(Math.max(1, tries), BACK_OFF));
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

function faultOf(error: unknown): Fault {
  if (error instanceof StorageUnavailable || isDiskFault(error)) return "storage";
  if (!(error instanceof OutputError)) return "passing";
  if (error.fault === "storage") return "storage";
  return LASTING.has(error.fault) ? "lost" : "passing";
}
