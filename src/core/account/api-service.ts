import type { Job, JobId } from "../../contract/job.js";
import type { Model } from "../../contract/model.js";
import { rublesOf } from "../../contract/money.js";
import { publicTitle } from "../../contract/public-title.js";
import type { Accepted } from "../../contract/request.js";
import type { Database } from "../../database/database.js";
import type { Balance } from "../../ports/gateway.js";
import type { IdempotentSubmissions, KeyedAcceptance, KeyedRequest } from "../jobs/idempotent-submissions.js";
import type { JobReader, JobVisibility } from "../jobs/job-reader.js";
import type { Submissions } from "../jobs/submissions.js";
import type { Caller, KeyCheck } from "../keys/key-check.js";
import { balanceOf } from "../ledger/ledger-store.js";

export interface ApiServiceOptions {
  database: Database;
  keys: KeyCheck;
  submissions: Submissions;
  keyedSubmissions: IdempotentSubmissions;
  jobs: JobReader;
  models: readonly Model[];
}

/** Section 4.5: all music jobs of the account; other jobs only when the API created them. */
const SHOWN_BY_THE_API: JobVisibility = ({ type, origin }) => type === "music" || origin === "api";

/** Operations of the HTTP API on behalf of an authenticated account. */
export class ApiService {
  readonly models: readonly Model[];
  readonly #options: ApiServiceOptions;

  constructor(options: ApiServiceOptions) {
    this.#options = options;
    this.models = options.models.map(({ isPreview = false, ...model }) => ({
      ...model,
      title: publicTitle({ title: model.title, isPreview }),
    }));
  }

  /** Returns undefined when the key does not exist or is revoked. */
  authenticate(key: string): Caller | undefined {
    return this.#options.keys.authenticate(key);
  }

  balance(accountId: number): Balance {
    return { currency: "RUB", amount: rublesOf(balanceOf(this.#options.database, accountId)) };
  }

  /**
   * Validates a parsed POST body, charges the account and queues the jobs. Each call is a new request.
   * @throws ContractError | Unavailable; nothing was changed then
   */
  submit(accountId: number, body: unknown): Promise<Accepted> {
    const terms = { accountId, origin: "api", orderId: null, quotedKopecks: null } as const;
    return this.#options.submissions.submit(body, terms);
  }

  /**
   * Accepts a request with an idempotency key at most once.
   * @throws IdempotencyConflict | ContractError | Unavailable; nothing was changed then
   */
  submitKeyed(request: KeyedRequest): Promise<KeyedAcceptance> {
    return this.#options.keyedSubmissions.submit(request);
  }

  /** @throws ContractError `job_not_found` */
  job(accountId: number, id: JobId): Job {
    return this.#options.jobs.job(accountId, id, SHOWN_BY_THE_API);
  }
}
