import { SubmissionInterruptedError, Unavailable, UncertainOutcome } from "../contract/errors.js";
import type { GenerationRequest } from "../contract/request.js";
import type { RemoteAccepted } from "../generation-api/accepted-answer.js";
import { CallFailedError } from "../generation-api/call-failed-error.js";
import { readHealth } from "../generation-api/health-answer.js";
import { judgeFailedPost, judgePost, type PostOutcome } from "../generation-api/judge-post.js";
import { sleep } from "../platform/clock.js";
import { ExchangeError } from "../platform/http-exchange.js";
import { type Integer, integer } from "../platform/integer.js";
import { backOffMs } from "../platform/retry.js";
import { isKeyRefused, type KeySource } from "./key-source.js";
import type { Remote } from "./remote.js";
import type { RemoteSubmissionTerms } from "./submission-terms.js";

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

/** Submits with the key of one account: one POST, or, if idempotency is announced, at most one acceptance. */
export class RemoteSubmitter {
  readonly #remote: Remote;
  readonly #key: KeySource;

  constructor(remote: Remote, key: KeySource) {
    this.#remote = remote;
    this.#key = key;
  }

  /** Submits an order. Throws ContractError, CallFailedError, UncertainOutcome and SubmissionInterruptedError. */
  async submit(request: GenerationRequest, terms: RemoteSubmissionTerms): Promise<RemoteAccepted> {
    const { orderId, repeatableUntil, onSending, beforeRepeat = async () => {} } = terms;
    const signal = this.#remote.signalWith(terms.signal);
    const body = JSON.stringify(request);
    const keyed = { body, orderId, beforeRepeat, signal };
    if (repeatableUntil !== undefined) return this.#repeat({ ...keyed, until: repeatableUntil }, undefined);
    const until = this.#repeatableUntil();
    await onSending?.(until);
    const outcome = await this.#post(body, until === undefined ? undefined : orderId, signal);
    if (outcome.kind === "accepted") return outcome.accepted;
    if (outcome.kind === "refused") throw outcome.error;
    if (outcome.kind === "not_accepted") throw outcome.failure;
    if (until === undefined || outcome.isFinal) throw uncertain(outcome.failure);
    return this.#repeat({ ...keyed, until }, outcome.failure);
  }

  #repeatableUntil(): Integer | undefined {
    const { retention, clock } = this.#remote;
    return retention.announcedMs === undefined
      ? undefined
      : integer(clock.now() + retention.announcedMs * REPEATABLE_PART);
  }

  /**
   * Repeats a POST that may have been accepted until a response settles it. A repeat without acceptance says nothing
   * about the first POST, but a rejection of the body does, since the service checks the key before.
   */
  async #repeat(post: KeyedPost, first: CallFailedError | undefined): Promise<RemoteAccepted> {
    const { clock, logger } = this.#remote;
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
    const { retention } = this.#remote;
    try {
      await beforeRepeat();
      if (!retention.isKnown) await this.#askForRetention(signal);
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
      return await this.#post(body, orderId, this.#remote.signalWith(undefined));
    } catch (error) {
      // Without a key nothing was sent, which says nothing about the first POST.
      if (!(error instanceof Unavailable)) throw error;
      return { kind: "not_accepted", failure: new CallFailedError({ cause: error }) };
    }
  }

  async #askForRetention(signal: AbortSignal): Promise<void> {
    await this.#remote.get("/health", undefined, readHealth, { triesMax: 1, signal });
  }

  async #post(body: string, idempotencyKey: string | undefined, signal: AbortSignal): Promise<PostOutcome> {
    const key = this.#key.current();
    try {
      const headers = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
      const posted = await this.#remote.post("/generations", key, body, headers, signal);
      const outcome = judgePost(posted.answer, posted.body, this.#remote.retryAfterOf(posted.answer));
      if (outcome.kind === "accepted" && outcome.accepted.problems.length > 0) {
        const { job_id, problems } = outcome.accepted;
        this.#remote.logger.error({ job_id, problems }, "an acceptance beyond all bounds, read in part");
      }
      if (isKeyRefused(faultOf(outcome))) this.#key.onRefused();
      return outcome;
    } catch (error) {
      if (error instanceof ExchangeError) return judgeFailedPost(error);
      throw error;
    }
  }
}

function uncertain(cause: CallFailedError | undefined): UncertainOutcome {
  return new UncertainOutcome("a paid POST was not answered", { cause });
}

function faultOf(outcome: PostOutcome): Error | undefined {
  if (outcome.kind === "accepted") return undefined;
  return outcome.kind === "refused" ? outcome.error : outcome.failure;
}
