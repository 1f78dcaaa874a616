import type { Caller, KeyCheck } from "../accounts/key-store.js";
import { balanceOf } from "../accounts/ledger-store.js";
import type { OfferedCatalogue } from "../catalogue/offered-catalogue.js";
import type { Job, JobId } from "../contract/job.js";
import { type Model, publicTitle } from "../contract/model.js";
import { type Balance, rublesOf } from "../contract/price.js";
import type { Accepted } from "../contract/request.js";
import type { Database } from "../database/database.js";
import type { IdempotentSubmissions, KeyedAcceptance, KeyedRequest } from "./idempotent-submissions.js";
import type { JobReader, JobVisibility } from "./job-reader.js";
import type { Submissions } from "./submissions.js";

/** Section 4.5: all music jobs of the account; other jobs only when the API created them. */
const SHOWN_BY_THE_API: JobVisibility = ({ type, origin }) => type === "music" || origin === "api";

export type Api = ReturnType<typeof createApi>;

/** Serves callers of the Generation API, by the account of their key. */
export function createApi(
  database: Database,
  keys: KeyCheck,
  submissions: Submissions,
  keyedSubmissions: IdempotentSubmissions,
  jobs: JobReader,
  offered: OfferedCatalogue,
) {
  let shown: { from: readonly Model[]; models: readonly Model[] } | undefined;
  return {
    /** Stays the same array while the offer is the same; it changes with the providers that are paused. */
    get models(): readonly Model[] {
      const from = offered.current.models;
      if (shown?.from !== from) shown = { from, models: from.map(publicModel) };
      return shown.models;
    },
    /** Returns undefined when the key does not exist or is revoked. */
    authenticate: (key: string): Caller | undefined => keys.authenticate(key),
    balance: (accountId: number): Balance => ({
      currency: "RUB",
      amount: rublesOf(balanceOf(database, accountId)),
    }),
    /** Each call is a new request. */
    submit: (accountId: number, body: unknown, requestId?: string): Promise<Accepted> =>
      submissions.submit(body, { accountId, origin: "api", orderId: null, quotedKopecks: null, requestId }),
    submitKeyed: (request: KeyedRequest): Promise<KeyedAcceptance> => keyedSubmissions.submit(request),
    job(accountId: number, id: JobId): Job {
      const { failure: _failure, ...job } = jobs.job(accountId, id, SHOWN_BY_THE_API);
      return job;
    },
  };
}

function publicModel({ isPreview = false, versions: _versions, note: _note, ...model }: Model): Model {
  return { ...model, title: publicTitle({ title: model.title, isPreview }) };
}
