import {
  ContractError,
  SubmissionInterruptedError,
  Unavailable,
  UncertainOutcome,
} from "../contract/errors.js";
import type { Job, JobId } from "../contract/job.js";
import type { Model } from "../contract/model.js";
import type { Balance } from "../contract/price.js";
import type { GenerationRequest } from "../contract/request.js";
import {
  type AnswerEnvelope,
  CallFailedError,
  judgeFailedPost,
  judgePost,
  type PostOutcome,
  type RemoteAccepted,
  readBalance,
  readHealth,
  readJob,
  readModels,
} from "../generation-api/answers.js";
import { sleep } from "../platform/clock.js";
import { ExchangeError } from "../platform/http-exchange.js";
import { type Integer, integer } from "../platform/integer.js";
import { backOffMs } from "../platform/retry.js";
import { CachedAnswer, type CallOptions, type Remote } from "./remote.js";

interface RemoteSubmissionTerms {
  orderId: string;
  /**
   * Continues an interrupted submission: the value, in ms since the epoch, that `onSending` got. Without it an
   * interrupted submission must not be submitted again.
   */
  repeatableUntil?: number;
  /**
   * Awaited before the first POST, unless a submission is continued. Its rejection prevents the POST.
   * @param repeatableUntil undefined if the service does not honour `Idempotency-Key`
   */
  onSending?: (repeatableUntil: Integer | undefined) => Promise<void> | void;
  /** Awaited before each repeat. An UncertainOutcome ends the repeats; any other error postpones this one. */
  beforeRepeat?: () => Promise<void>;
  signal?: AbortSignal;
}

/** The part of the announced retention in which an uncertain POST is repeated. */
const REPEATABLE_PART = 0.9;
const BACK_OFF = { firstMs: 1000, maxMs: 60_000 };

interface KeyedPost {
  body: string;
  orderId: string;
  until: number;
  beforeRepeat: () => Promise<void>;
  signal: AbortSignal;
}

function uncertain(cause: CallFailedError | undefined): UncertainOutcome {
  return new UncertainOutcome("a paid POST was not answered", { cause });
}

/** Milliseconds for which the models of an account are kept. */
const MODELS_KEPT_MS = 60_000;

/** Milliseconds of one try. People wait for models: two tries end within 10 s. */
const MODELS_TIMEOUT_MS = 4500;
/** The most bytes that are read. A list that is too long is read all the same, and cut. */
const MODELS_BYTES_MAX = 32 * 1024 * 1024;
const MODELS_VALUES_MAX = 200_000;

/** Returns the version of the API. Needs no key. Throws CallFailedError. */
export function health(remote: Remote, options?: CallOptions): Promise<string> {
  return remote.get("/health", undefined, readHealth, options);
}

/** The calls of Generation API v1 with the key of one account. All throw ContractError or CallFailedError. */
export class ApiClient {
  readonly #models: CachedAnswer<readonly Model[]>;

  /** @param key read for each call. Throws Unavailable `account` when there is none any more */
  constructor(
    private readonly remote: Remote,
    private readonly key: () => string,
    private readonly onKeyRefused = () => {},
  ) {
    this.#models = new CachedAnswer(remote.clock, MODELS_KEPT_MS, () => this.#readModels());
  }

  balance(options?: CallOptions): Promise<Balance> {
    return this.#get("/balance", readBalance, options);
  }

  /** Resolves to models that are at most a minute old. */
  models(): Promise<readonly Model[]> {
    return this.#models.get();
  }

  /** Reads models without the cache, for use before a POST and after a rejection. */
  modelsAnew(): Promise<readonly Model[]> {
    return this.#models.readAnew();
  }

  job(id: JobId, options?: CallOptions): Promise<Job> {
    const path = `/generations/${encodeURIComponent(id)}`;
    const onBeyond = (problem: string) =>
      this.remote.logger.error({ job_id: id, problem }, "a job beyond all bounds, read in part");
    return this.#get(path, (body) => readJob(body, id, onBeyond), options);
  }

  /**
   * Submits an order by one POST. An uncertain one is repeated only if the service announces idempotency: then there is
   * at most one acceptance.
   * @throws ContractError | CallFailedError (nothing was accepted) | UncertainOutcome | SubmissionInterruptedError
   */
  async submit(request: GenerationRequest, terms: RemoteSubmissionTerms): Promise<RemoteAccepted> {
    const { orderId, repeatableUntil, onSending, beforeRepeat = async () => {} } = terms;
    const signal = this.remote.signalWith(terms.signal);
    const body = JSON.stringify(request);
    const keyed = { body, orderId, beforeRepeat, signal };
    if (repeatableUntil !== undefined) return this.#repeat({ ...keyed, until: repeatableUntil }, undefined);
    const { retention, clock } = this.remote;
    const { announcedMs } = retention;
    const until =
      announcedMs === undefined ? undefined : integer(clock.now() + announcedMs * REPEATABLE_PART);
    await onSending?.(until);
    const outcome = await this.#post(body, until === undefined ? undefined : orderId, signal);
    if (outcome.kind === "accepted") return outcome.accepted;
    if (outcome.kind === "refused") throw outcome.error;
    if (outcome.kind === "not_accepted") throw outcome.failure;
    if (until === undefined || outcome.isFinal) throw uncertain(outcome.failure);
    return this.#repeat({ ...keyed, until }, outcome.failure);
  }

  /**
   * Repeats a POST that may have been accepted until a response settles it. A repeat without acceptance says nothing
   * about the first POST, but a rejection of the body does, since the service checks the key before.
   */
  async #repeat(post: KeyedPost, first: CallFailedError | undefined): Promise<RemoteAccepted> {
    const { clock, logger } = this.remote;
    const endsAt = clock.monotonic() + post.until - clock.now();
    let failure = first;
    for (let attempt = failure ? 1 : 0; ; attempt += 1) {
      if (failure) {
        logger.warn({ err: failure, order: post.orderId, attempt }, "uncertain POST will be repeated");
        const pauseMs = failure.retryAfterMs ?? backOffMs(attempt || 1, BACK_OFF);
        await sleep(clock, Math.min(pauseMs, endsAt - clock.monotonic()), post.signal);
      }
      if (post.signal.aborted) throw new SubmissionInterruptedError("stopped", { cause: failure });
      if (clock.monotonic() >= endsAt) throw uncertain(failure);
      const outcome = await this.#repeatOnce(post);
      if (outcome.kind === "accepted") return outcome.accepted;
      if (outcome.kind === "refused" && !isKeyRefused(outcome.error)) throw outcome.error;
      failure = outcome.kind === "refused" ? new CallFailedError({ cause: outcome.error }) : outcome.failure;
      if (outcome.kind === "uncertain" && outcome.isFinal) throw uncertain(failure);
    }
  }

  /** Sends nothing unless the service's latest response announced idempotency. */
  async #repeatOnce({ body, orderId, beforeRepeat, signal }: KeyedPost): Promise<PostOutcome> {
    const { retention } = this.remote;
    try {
      await beforeRepeat();
      if (!retention.isKnown) await health(this.remote, { triesMax: 1, signal });
    } catch (error) {
      const failure = error instanceof CallFailedError ? error : new CallFailedError({ cause: error });
      return { kind: "uncertain", isFinal: error instanceof UncertainOutcome, failure };
    }
    if (retention.announcedMs === undefined) {
      const cause = new Error("Idempotency-Key is no longer honoured");
      return { kind: "uncertain", isFinal: true, failure: new CallFailedError({ cause }) };
    }
    try {
      // Not the caller's signal: an answer that is on its way may have the ids of jobs.
      return await this.#post(body, orderId, this.remote.signalWith(undefined));
    } catch (error) {
      // Without a key nothing was sent, which says nothing about the first POST.
      if (!(error instanceof Unavailable)) throw error;
      return { kind: "not_accepted", failure: new CallFailedError({ cause: error }) };
    }
  }

  async #post(body: string, idempotencyKey: string | undefined, signal: AbortSignal): Promise<PostOutcome> {
    const key = this.key();
    try {
      const headers = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
      const posted = await this.remote.post("/generations", key, body, headers, signal);
      const outcome = judgePost(posted.answer, posted.body, this.remote.retryAfterOf(posted.answer));
      if (outcome.kind === "accepted" && outcome.accepted.problems.length > 0) {
        const { job_id, problems } = outcome.accepted;
        this.remote.logger.error({ job_id, problems }, "an acceptance beyond all bounds, read in part");
      }
      const fault =
        outcome.kind === "refused" ? outcome.error : outcome.kind !== "accepted" && outcome.failure;
      if (isKeyRefused(fault)) this.onKeyRefused();
      return outcome;
    } catch (error) {
      if (error instanceof ExchangeError) return judgeFailedPost(error);
      throw error;
    }
  }

  async #readModels(): Promise<readonly Model[]> {
    const { models, problems, cutFrom } = await this.#get("/models", readModels, {
      timeoutMs: MODELS_TIMEOUT_MS,
      triesMax: 2,
      bodyBytesMax: MODELS_BYTES_MAX,
      valuesMax: MODELS_VALUES_MAX,
    });
    if (problems.length > 0) this.remote.logger.warn({ problems }, "models omitted");
    if (cutFrom !== undefined) this.remote.noteCutModels(models.length, cutFrom);
    return models;
  }

  async #get<T>(path: string, read: (body: AnswerEnvelope) => T, options?: CallOptions): Promise<T> {
    try {
      return await this.remote.get(path, this.key(), read, options);
    } catch (error) {
      if (isKeyRefused(error)) this.onKeyRefused();
      throw error;
    }
  }
}

/** Recognises a refused key, which says nothing about the request. The answer may come without a code. */
export function isKeyRefused(error: unknown): boolean {
  if (error instanceof CallFailedError) return error.status === 401;
  if (!(error instanceof ContractError)) return false;
  return error.code === "invalid_api_key" || error.code === "api_key_required";
}

export function isKeyMissing(error: unknown): boolean {
  return error instanceof Unavailable && error.reason === "account";
}
