import { sql } from "kysely";
import { accountById, banAt } from "../accounts/account-store.js";
import { appendEntry, SERVICE_ACTOR } from "../accounts/ledger-store.js";
import type { Origin } from "../accounts/statement-store.js";
import {
  chooseProvider,
  type ListedProvider,
  offeredTitle,
  type ProviderChoice,
  soldWithSeed,
} from "../catalogue/choose-provider.js";
import type { SoldOperation } from "../catalogue/operation.js";
import { ContractError, PriceChanged, TooManyOrdersError, Unavailable } from "../contract/errors.js";
import type { JobId } from "../contract/job.js";
import type { GenerationType } from "../contract/model.js";
import { type Kopecks, rublesOf, sumOf } from "../contract/price.js";
import { type Accepted, type GenerationRequest, requestTexts } from "../contract/request.js";
import { isBusy, isDiskFault, type Reads, type Transaction } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { prepare, qb } from "../database/prepared.js";
import { table } from "../database/table.js";
import type { StorageHealth } from "../media/disk.js";
import type { Moderation } from "../moderation/moderation.js";
import { type Integer, integer } from "../platform/integer.js";
import { MINUTE_MS } from "../platform/units.js";
import {
  type JobRow,
  jobsOfOrder,
  publicJobId,
  referenceLinks,
  storedRequestOf,
  storeOperation,
} from "./job-store.js";
import { mappingRefusal, type PricedRequest } from "./read-request.js";

const newJobs = table("job");

/** Numbers of orders that a person of the chat may have; 0: any number. Orders of the API are not counted. */
export interface OrderLimits {
  activeMax: number;
  perMinuteMax: number;
}

// The conditions of the partial indexes, as literals: the planner ignores the indexes otherwise.
const BY_CHAT = sql.lit<Origin>("bot");
const UNFINISHED = [sql.lit("queued" as const), sql.lit("generating" as const)];

const countActive = prepare<{ accountId: number }, { orders: number }>((p) =>
  qb
    .selectFrom("job")
    .select((eb) => eb.fn.count<number>("order_id").distinct().as("orders"))
    .where("account_id", "=", p.accountId)
    .where("origin", "=", BY_CHAT)
    .where("status", "in", UNFINISHED),
);
/** Leaves out orders of the future: a clock that was set back must not lock anybody out. */
const countSince = prepare<{ accountId: number; since: Integer; at: Integer }, { orders: number }>((p) =>
  qb
    .selectFrom("job")
    .select((eb) => eb.fn.countAll<number>().as("orders"))
    .where("account_id", "=", p.accountId)
    .where("origin", "=", BY_CHAT)
    .where("order_index", "=", sql.lit(0))
    .where("created_at", ">", p.since)
    .where("created_at", "<=", p.at),
);

export const ORDER_LIMIT_QUERIES = { countActive, countSince };

interface SubmissionTerms {
  accountId: number;
  origin: Origin;
  /** Id of an order, which is accepted at most once; null for a POST without an idempotency key. */
  orderId: string | null;
  /** Price shown to the user; null when none was shown. */
  quotedKopecks: Kopecks | null;
  /** What the caller of the API knows the request by: it stands in the log beside the jobs. */
  requestId?: string | undefined;
  /** Writes related rows in the transaction of the acceptance; what it throws undoes that. `at` is in ms since the epoch. */
  writeIn?: ((tx: Transaction, jobIds: readonly JobId[], at: Integer) => void) | undefined;
}

interface SubmissionsOptions extends Ground {
  health: StorageHealth;
  readRequest: (body: unknown) => PricedRequest;
  /** Providers in order of preference. The titles of jobs of a preview provider say so. */
  providers: readonly ListedProvider[];
  moderation: Moderation;
  limits: OrderLimits;
  /** Called after the commit, for the provider that has the new jobs. */
  onQueued: (provider: string) => void;
  /** Called for each order, once. */
  onSold: (sale: Sale) => void;
}

export interface Sale {
  title: string;
  kopecks: Kopecks;
  origin: Origin;
  /** True for the first ten orders of all. */
  isEarly: boolean;
}

interface SoldJob {
  seed: number;
  sold: SoldOperation | undefined;
}

type ChosenRequest = PricedRequest & ProviderChoice & { jobs: readonly SoldJob[] };

type Acceptance = { accepted: Accepted } & ({ isNew: false } | { isNew: true; isEarly: boolean });

const EARLY_ORDERS = 10;
/** Stops at the first rows. */
const countEarly = prepare<object, { orders: number }>(() =>
  qb
    .selectFrom(
      qb
        .selectFrom("job")
        .select("id")
        .where("order_index", "=", sql.lit(0))
        .orderBy("id")
        .limit(sql.lit(EARLY_ORDERS + 1))
        .as("first"),
    )
    .select((eb) => eb.fn.countAll<number>().as("orders")),
);

/** Accepts paid requests. The charge and the queued jobs are written in one transaction. */
export class Submissions {
  /** Numbers of jobs since the process began. */
  readonly accepted: Record<GenerationType, number> = { image: 0, video: 0, music: 0 };

  constructor(private readonly options: SubmissionsOptions) {}

  /**
   * Validates a request, charges its account and queues its jobs. An order that was accepted before is
   * answered from its jobs, regardless of later changes.
   * @throws ContractError | PriceChanged | TooManyOrdersError | Unavailable; nothing was changed then
   */
  async submit(body: unknown, terms: SubmissionTerms): Promise<Accepted> {
    const { database, health, logger } = this.options;
    const { accountId, origin, orderId } = terms;
    const earlier = orderId === null ? [] : jobsOfOrder(database, accountId, orderId);
    if (earlier.length > 0) return acceptedOf(earlier);

    const priced = this.options.readRequest(body);
    const seeds = Array.from({ length: priced.count }, () => this.options.ids.seed());
    const choice = this.#choose(priced, seeds[0]);
    const { totalKopecks } = priced;
    if (terms.quotedKopecks !== null && terms.quotedKopecks !== totalKopecks)
      throw new PriceChanged(totalKopecks);
    this.#requireCustomer(database, totalKopecks, terms);
    if (!(await this.options.moderation.allows(requestTexts(priced.request), "submit")))
      throw new ContractError("content_refused");
    await health.require();

    const { service } = choice;
    // Each is mapped once: the first by the choice of its service.
    const jobs = seeds.map((seed, index) => ({
      seed,
      sold:
        service && (index === 0 ? service.sold : soldWithSeed(priced.entry, priced.request, service, seed)),
    }));
    const taken = await this.#write({ ...priced, ...choice, jobs }, terms);
    const { accepted } = taken;
    if (!taken.isNew) return accepted;
    const event = {
      ...(terms.requestId && { reqId: terms.requestId }),
      account_id: accountId,
      order_id: orderId,
      origin,
      kopecks: totalKopecks,
    };
    const made = { model: priced.entry.model_key, provider: choice.provider.name };
    logger.info({ ...event, job_ids: accepted.job_ids, ...made }, "order accepted");
    this.accepted[priced.request.type] += priced.count;
    this.options.onQueued(choice.provider.name);
    const title = offeredTitle({ ...priced, ...choice });
    this.options.onSold({ title, kopecks: totalKopecks, origin, isEarly: taken.isEarly });
    return accepted;
  }

  #choose({ entry, request }: PricedRequest, seed: number | undefined): ProviderChoice {
    const { providers } = this.options;
    const choice = chooseProvider(entry, request, providers, seed === undefined ? {} : { seed });
    if (!choice) throw new ContractError("model_disabled", { param: "model_key" });
    if ("provider" in choice) return choice;
    const isTaken = (other: GenerationRequest) =>
      "provider" in (chooseProvider(entry, other, providers) ?? {});
    throw mappingRefusal(choice, entry, request, isTaken);
  }

  async #write(priced: ChosenRequest, terms: SubmissionTerms): Promise<Acceptance> {
    const { database, health } = this.options;
    try {
      return await database.write("job:accept", (tx) => this.#accept(tx, priced, terms));
    } catch (error) {
      if (isDiskFault(error)) health.markBad(error);
      else if (!isBusy(error)) throw error;
      throw new Unavailable("storage", { cause: error });
    }
  }

  #accept(tx: Transaction, priced: ChosenRequest, terms: SubmissionTerms): Acceptance {
    const { accountId, orderId } = terms;
    const earlier = orderId === null ? [] : jobsOfOrder(tx, accountId, orderId);
    if (earlier.length > 0) return { accepted: acceptedOf(earlier), isNew: false };
    const { totalKopecks, entry, request } = priced;
    const at = this.#requireCustomer(tx, totalKopecks, terms);
    const common = {
      account_id: accountId,
      origin: terms.origin,
      order_id: orderId,
      type: request.type,
      model_key: entry.model_key,
      model: entry.provider.model,
      model_title: offeredTitle(priced),
      request: storedRequestOf(request),
      cost: priced.unitKopecks,
      reference_count: referenceLinks(request).length,
      provider: priced.provider.name,
      tracks: entry.tracks ?? 1,
      created_at: at,
    };
    const jobs = priced.jobs.map(({ seed, sold }, index) => {
      const job = { ...common, seed, order_index: index };
      const id = newJobs.insert(tx, { ...job, status: "queued", is_refunded: 0, attempts: 0 });
      storeOperation(tx, id, sold);
      return { ...job, id };
    });
    const detail = {
      reason: entry.model_key,
      actor: SERVICE_ACTOR,
      orderId,
      jobId: jobs[0]?.id ?? null,
      idempotencyKey: orderId === null ? null : `charge:${accountId}:${orderId}`,
      at,
    };
    appendEntry(tx, accountId, "charge", totalKopecks, detail);
    const accepted = acceptedOf(jobs);
    terms.writeIn?.(tx, accepted.job_ids, at);
    return { accepted, isNew: true, isEarly: (tx.first(countEarly, {})?.orders ?? 0) <= EARLY_ORDERS };
  }

  /**
   * Checks balance, ban and limits, in this order, and returns the time of the check. It runs before the words are
   * judged, which costs more, and again in the transaction of the charge.
   */
  #requireCustomer(source: Reads, total: Kopecks, { accountId, origin }: SubmissionTerms): Integer {
    const at = this.options.clock.now();
    const { balance } = accountById(source, accountId);
    if (balance < total)
      throw new ContractError("insufficient_funds", {
        balance: rublesOf(balance),
        cost_rub: rublesOf(total),
      });
    if (banAt(source, accountId, at)) throw new ContractError("account_banned");
    if (origin !== "bot") return at;
    const { activeMax, perMinuteMax } = this.options.limits;
    const active = activeMax > 0 ? (source.first(countActive, { accountId })?.orders ?? 0) : 0;
    if (activeMax > 0 && active >= activeMax) throw new TooManyOrdersError("active", activeMax);
    if (perMinuteMax === 0) return at;
    const since = integer(at - MINUTE_MS);
    const recent = source.first(countSince, { accountId, since, at })?.orders ?? 0;
    if (recent >= perMinuteMax) throw new TooManyOrdersError("minute", perMinuteMax);
    return at;
  }
}

function acceptedOf(jobs: readonly Pick<JobRow, "id" | "type" | "cost">[]): Accepted {
  const [first] = jobs;
  if (!first) throw new Error("a request was accepted without a job");
  const job_ids = jobs.map(({ type, id }) => publicJobId(type, id));
  return {
    job_id: publicJobId(first.type, first.id),
    job_ids,
    status: "queued",
    cost_rub: rublesOf(sumOf(jobs.map(({ cost }) => cost))),
    ...(first.type === "image" && { unit_cost_rub: rublesOf(first.cost) }),
  };
}
