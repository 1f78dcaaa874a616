import type { Job, JobId } from "../../contract/job.js";
import type { Model } from "../../contract/model.js";
import { rublesOf } from "../../contract/money.js";
import { publicTitle } from "../../contract/public-title.js";
import type { Accepted } from "../../contract/request.js";
import type { Database } from "../../database/database.js";
import type { Api, Caller, KeyedAcceptance, KeyedRequest } from "../../ports/api.js";
import type { Balance } from "../../ports/gateway.js";
import type { IdempotentSubmissions } from "../jobs/idempotent-submissions.js";
import type { JobReader, JobVisibility } from "../jobs/job-reader.js";
import type { Submissions } from "../jobs/submissions.js";
import type { KeyCheck } from "../keys/key-check.js";
import { balanceOf } from "../ledger/ledger-store.js";

export interface ApiServiceOptions {
  database: Database;
  keys: KeyCheck;
  submissions: Submissions;
  keyedSubmissions: IdempotentSubmissions;
  jobs: JobReader;
  /** Returns the same array while the offer is the same. */
  models: () => readonly Model[];
}

/** Section 4.5: all music jobs of the account; other jobs only when the API created them. */
const SHOWN_BY_THE_API: JobVisibility = ({ type, origin }) => type === "music" || origin === "api";

export class ApiService implements Api {
  readonly #options: ApiServiceOptions;
  #shown: { from: readonly Model[]; models: readonly Model[] } | undefined;

  constructor(options: ApiServiceOptions) {
    this.#options = options;
  }

  get models(): readonly Model[] {
    const from = this.#options.models();
    if (this.#shown?.from !== from) this.#shown = { from, models: from.map(publicModel) };
    return this.#shown.models;
  }

  authenticate(key: string): Caller | undefined {
    return this.#options.keys.authenticate(key);
  }

  balance(accountId: number): Balance {
    return { currency: "RUB", amount: rublesOf(balanceOf(this.#options.database, accountId)) };
  }

  submit(accountId: number, body: unknown): Promise<Accepted> {
    const terms = { accountId, origin: "api", orderId: null, quotedKopecks: null } as const;
    return this.#options.submissions.submit(body, terms);
  }

  submitKeyed(request: KeyedRequest): Promise<KeyedAcceptance> {
    return this.#options.keyedSubmissions.submit(request);
  }

  job(accountId: number, id: JobId): Job {
    const { failure: _failure, ...shown } = this.#options.jobs.job(accountId, id, SHOWN_BY_THE_API);
    return shown;
  }
}

function publicModel({ isPreview = false, versions: _versions, note: _note, ...model }: Model): Model {
  return { ...model, title: publicTitle({ title: model.title, isPreview }) };
}
