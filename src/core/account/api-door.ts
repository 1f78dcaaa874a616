import type { Balance } from "../../contract/gateway.js";
import type { Job, JobId } from "../../contract/job.js";
import type { Model } from "../../contract/model.js";
import type { Accepted } from "../../contract/request.js";
import type { Database } from "../../database/database.js";
import { rublesOf } from "../../platform/money.js";
import type { JobReader, JobVisibility } from "../jobs/job-reader.js";
import type { Submissions } from "../jobs/submissions.js";
import type { Caller, KeyCheck } from "../keys/key-check.js";
import { balanceOf } from "../ledger/ledger-store.js";

export interface ApiDoorOptions {
  database: Database;
  keys: KeyCheck;
  submissions: Submissions;
  jobs: JobReader;
  models: readonly Model[];
}

/** Section 4.5: every music job of the account, and of the others those that the API made. */
const SHOWN_BY_THE_API: JobVisibility = ({ type, origin }) => type === "music" || origin === "api";

/** The door of the HTTP API: what a caller's key gives access to. */
export class ApiDoor {
  /** The active models in the catalogue's order, with the fields of the contract only. */
  readonly models: readonly Omit<Model, "price_factors">[];
  readonly #options: ApiDoorOptions;

  constructor(options: ApiDoorOptions) {
    this.#options = options;
    this.models = options.models.map(({ price_factors: _, ...model }) => model);
  }

  /** Who presents this key; undefined when it does not exist or is revoked. */
  authenticate(key: string): Caller | undefined {
    return this.#options.keys.authenticate(key);
  }

  balance(accountId: number): Balance {
    return { currency: "RUB", amount: rublesOf(balanceOf(this.#options.database, accountId)) };
  }

  /**
   * Judges the parsed body of a POST, charges the account and queues the jobs. Each call is a new request.
   * @throws ContractError | Unavailable; nothing was changed then
   */
  submit(accountId: number, body: unknown): Promise<Accepted> {
    const terms = { accountId, origin: "api", orderId: null, quotedKopecks: null } as const;
    return this.#options.submissions.submit(body, terms);
  }

  /** @throws ContractError `job_not_found` */
  job(accountId: number, id: JobId): Job {
    return this.#options.jobs.job(accountId, id, SHOWN_BY_THE_API);
  }
}
