import type { Job, JobId } from "../contract/job.js";
import type { Model } from "../contract/model.js";
import type { GenerationRequest } from "../contract/request.js";
import type { RemoteAccepted } from "../generation-api/accepted-answer.js";
import { readBalance } from "../generation-api/balance-answer.js";
import { readHealth } from "../generation-api/health-answer.js";
import { readJob } from "../generation-api/job-answer.js";
import { readModels } from "../generation-api/models-answer.js";
import type { AnswerEnvelope } from "../generation-api/read-answer.js";
import type { Balance } from "../ports/gateway.js";
import { KeptModels } from "./kept-models.js";
import { fixedKey, isKeyRefused, type KeySource } from "./key-source.js";
import type { CallOptions, Remote } from "./remote.js";
import type { RemoteSubmissionTerms } from "./submission-terms.js";
import { RemoteSubmitter } from "./submitter.js";

/** Milliseconds of one try. People wait for models: two tries end within 10 s. */
const MODELS_TIMEOUT_MS = 4500;
/** The most bytes that are read. A list that is too long is read all the same, and cut. */
const MODELS_BYTES_MAX = 32 * 1024 * 1024;

/** Returns the version of the API. Needs no key. Throws CallFailedError. */
export function health(remote: Remote, options?: CallOptions): Promise<string> {
  return remote.get("/health", undefined, readHealth, options);
}

/** The calls of Generation API v1 with the key of one account. All throw ContractError or CallFailedError. */
export class ApiClient {
  readonly #remote: Remote;
  readonly #key: KeySource;
  readonly #submitter: RemoteSubmitter;
  readonly #models: KeptModels;

  constructor(remote: Remote, key: string | KeySource) {
    this.#remote = remote;
    this.#key = typeof key === "string" ? fixedKey(key) : key;
    this.#submitter = new RemoteSubmitter(remote, this.#key);
    this.#models = new KeptModels(remote.clock, () => this.#readModels());
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
      this.#remote.logger.error({ job_id: id, problem }, "a job beyond all bounds, read in part");
    return this.#get(path, (body) => readJob(body, id, onBeyond), options);
  }

  /**
   * Sends one POST. An uncertain one is repeated only if the service announces idempotency.
   * @throws ContractError | CallFailedError (nothing was accepted) | UncertainOutcome | SubmissionInterruptedError
   */
  submit(request: GenerationRequest, terms: RemoteSubmissionTerms): Promise<RemoteAccepted> {
    return this.#submitter.submit(request, terms);
  }

  async #readModels(): Promise<readonly Model[]> {
    const { logger, cutModels } = this.#remote;
    const { models, problems, cutFrom } = await this.#get("/models", readModels, {
      timeoutMs: MODELS_TIMEOUT_MS,
      triesMax: 2,
      bodyBytesMax: MODELS_BYTES_MAX,
    });
    if (problems.length > 0) logger.warn({ problems }, "models omitted");
    if (cutFrom !== undefined) cutModels.note({ shown: models.length, all: cutFrom });
    return models;
  }

  async #get<T>(path: string, read: (body: AnswerEnvelope) => T, options?: CallOptions): Promise<T> {
    try {
      return await this.#remote.get(path, this.#key.current(), read, options);
    } catch (error) {
      if (isKeyRefused(error)) this.#key.onRefused();
      throw error;
    }
  }
}
