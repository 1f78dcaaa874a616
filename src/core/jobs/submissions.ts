import { ContractError, PriceChanged, Unavailable } from "../../contract/errors.js";
import type { Accepted } from "../../contract/request.js";
import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import type { Ids } from "../../platform/ids.js";
import type { Logger } from "../../platform/logger.js";
import { type Kopecks, rublesOf } from "../../platform/money.js";
import { appendEntry, BalanceTooLow } from "../ledger/ledger-store.js";
import { isBusyError, isStorageError } from "../media/storage-error.js";
import type { StorageHealth } from "../media/storage-health.js";
import type { PricedRequest } from "../request/read-request.js";
import { publicJobId } from "./job-id.js";
import { storedRequestOf } from "./job-request.js";
import { insertNewJob, type JobRow, jobById, jobsOfOrder, type Origin } from "./job-store.js";
import { emptyTally } from "./job-tally.js";

/** On whose behalf, and on what terms, a request is submitted. */
export interface SubmissionTerms {
  accountId: number;
  origin: Origin;
  /** The order that is accepted at most once; null for the API, where each POST is a new request. */
  orderId: string | null;
  /** What the person was shown; null where nobody was shown a price. */
  quotedKopecks: Kopecks | null;
}

export interface SubmissionsOptions {
  database: Database;
  health: StorageHealth;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  /** Judges, normalises and prices a body. Throws ContractError. */
  readRequest: (body: unknown) => PricedRequest;
  /** True while results are a stand-in: the titles of the jobs say so. */
  isPreview: boolean;
  /** Called after the commit with the new jobs, and with those of an order that is submitted again. */
  onAccepted: (accepted: Accepted) => void;
}

/** What the transaction of a submission did. */
interface Acceptance {
  accepted: Accepted;
  /** False for an order that was accepted before. */
  isNew: boolean;
  jobs: readonly Pick<JobRow, "id" | "seed">[];
}

/** What a person reads behind a model's title while its results are only a stand-in. */
const PREVIEW_SUFFIX = " (local preview)";

/** Accepts paid requests: the charge and the queued jobs are written in one transaction. */
export class Submissions {
  readonly #options: SubmissionsOptions;
  /** Jobs that were accepted since the process began. */
  readonly accepted = emptyTally();

  constructor(options: SubmissionsOptions) {
    this.#options = options;
  }

  /**
   * Judges a request, charges its account and queues its jobs. An order that was accepted before is
   * answered from its jobs, whatever has changed since.
   * @throws ContractError | PriceChanged | Unavailable; nothing was changed then
   */
  async submit(body: unknown, terms: SubmissionTerms): Promise<Accepted> {
    const { database, health, logger } = this.#options;
    const { accountId, origin, orderId } = terms;
    const earlier = orderId === null ? [] : jobsOfOrder(database, accountId, orderId);
    if (earlier.length > 0) {
      // Nobody has heard of them where their commit was reported as failed, and reached the disk.
      const accepted = acceptedOf(earlier);
      this.#options.onAccepted(accepted);
      return accepted;
    }

    const priced = this.#options.readRequest(body);
    const { totalKopecks } = priced;
    if (terms.quotedKopecks !== null && terms.quotedKopecks !== totalKopecks)
      throw new PriceChanged(totalKopecks);
    await health.require();

    const { accepted, isNew } = await this.#write(priced, terms);
    if (!isNew) return accepted;
    const event = { account_id: accountId, order_id: orderId, origin, kopecks: totalKopecks };
    logger.info({ ...event, job_ids: accepted.job_ids, model: priced.entry.model_key }, "order accepted");
    this.accepted[priced.request.type] += priced.count;
    this.#options.onAccepted(accepted);
    return accepted;
  }

  /** What a commit wrote that was reported as failed, and reached the disk, is charged: it is no refusal. */
  async #write(priced: PricedRequest, terms: SubmissionTerms): Promise<Acceptance> {
    const { database, health } = this.#options;
    let outcome: Acceptance | undefined;
    try {
      return await database.write("job:accept", (tx) => {
        outcome = this.#accept(tx, priced, terms);
        return outcome;
      });
    } catch (error) {
      if (outcome && this.#isWritten(outcome)) return outcome;
      if (isStorageError(error)) health.markBad(error);
      else if (!isBusyError(error)) throw error;
      throw new Unavailable("storage", { cause: error });
    }
  }

  /** True when its jobs are on the disk, told by their seeds: an id that was taken back is given out again. */
  #isWritten({ jobs }: Acceptance): boolean {
    const { database } = this.#options;
    return jobs.every(({ id, seed }) => jobById(database, id)?.seed === seed);
  }

  #accept(tx: Transaction, priced: PricedRequest, terms: SubmissionTerms): Acceptance {
    const { accountId, orderId } = terms;
    // The same order may have been accepted since it was looked for: the transaction decides.
    const earlier = orderId === null ? [] : jobsOfOrder(tx, accountId, orderId);
    if (earlier.length > 0) return { accepted: acceptedOf(earlier), isNew: false, jobs: earlier };
    const { count, totalKopecks, entry } = priced;
    const at = this.#options.clock.now();
    const jobs = Array.from({ length: count }, (_, index) => {
      const job = { ...this.#jobOf(priced, terms), order_index: index, created_at: at };
      return { ...job, id: insertNewJob(tx, job) };
    });
    const detail = {
      reason: entry.model_key,
      actor: "service",
      orderId,
      jobId: jobs[0]?.id ?? null,
      idempotencyKey: orderId === null ? null : `charge:${accountId}:${orderId}`,
      at,
    };
    charge(tx, accountId, totalKopecks, detail);
    return { accepted: acceptedOf(jobs), isNew: true, jobs };
  }

  #jobOf({ entry, request, unitKopecks }: PricedRequest, { accountId, origin, orderId }: SubmissionTerms) {
    const { ids, isPreview } = this.#options;
    return {
      account_id: accountId,
      origin,
      order_id: orderId,
      type: request.type,
      model_key: entry.model_key,
      model: entry.provider.model,
      model_title: isPreview ? entry.title + PREVIEW_SUFFIX : entry.title,
      request: storedRequestOf(request),
      seed: ids.seed(),
      cost: unitKopecks,
    };
  }
}

function charge(
  tx: Transaction,
  accountId: number,
  total: Kopecks,
  detail: Parameters<typeof appendEntry>[4],
): void {
  try {
    appendEntry(tx, accountId, "charge", total, detail);
  } catch (error) {
    if (!(error instanceof BalanceTooLow)) throw error;
    throw new ContractError("insufficient_funds", {
      balance: rublesOf(error.balanceKopecks),
      cost_rub: rublesOf(total),
    });
  }
}

/** The answer of section 4.4 for the jobs of one request, in their order. */
function acceptedOf(jobs: readonly Pick<JobRow, "id" | "type" | "cost">[]): Accepted {
  const [first] = jobs;
  if (!first) throw new Error("a request was accepted without a job");
  const job_ids = jobs.map(({ type, id }) => publicJobId(type, id));
  return {
    job_id: publicJobId(first.type, first.id),
    job_ids,
    status: "queued",
    cost_rub: rublesOf(jobs.reduce((sum, { cost }) => sum + cost, 0)),
    ...(first.type === "image" && { unit_cost_rub: rublesOf(first.cost) }),
  };
}
