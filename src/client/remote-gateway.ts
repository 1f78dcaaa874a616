import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { ContractError, PriceChanged, Unavailable, UncertainOutcome } from "../contract/errors.js";
import type { Job, JobId } from "../contract/job.js";
import type { Model } from "../contract/model.js";
import { type Balance, type Kopecks, NO_KOPECKS, quotedPrice, rublesOf } from "../contract/price.js";
import { type Accepted, type GenerationRequest, requestTexts } from "../contract/request.js";
import type { Database } from "../database/database.js";
import { table } from "../database/table.js";
import type { Moderation } from "../moderation/moderation.js";
import { type CancelTimer, leftMs } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import type { Integer } from "../platform/integer.js";
import { MINUTE_MS } from "../platform/units.js";
import type { Gateway, GatewayJob, OrderTerms, ResultFile } from "../ports/gateway.js";
import { type ApiClient, isKeyMissing, isKeyRefused } from "./api-client.js";
import type { Remote } from "./remote.js";
import {
  type Downloads,
  gatewayJobOf,
  jobKeyOf,
  lostJob,
  type RemoteJobStore,
  resultsOf,
} from "./remote-jobs.js";

/** An order whose POST was sent, or was about to be. Times in ms since the epoch. */
interface SubmissionRow {
  order_id: string;
  sent_at: Integer;
  repeatable_until: Integer | null;
  sent_to: string | null;
  /** NULL for the account that everybody shares. */
  account_id: number | null;
}

declare module "../database/prepared.js" {
  interface Schema {
    remote_submission: SubmissionRow;
  }
}

const submissions = table("remote_submission");

export class SubmissionStore {
  readonly #target: string;

  /** @param target names the service and the account: a POST is repeated only there */
  constructor(
    private readonly database: Database,
    target: string,
  ) {
    this.#target = createHash("sha256").update(target).digest("hex").slice(0, 16);
  }

  /** Undefined when the order was not sent, or is known to be refused. */
  find(orderId: string): SubmissionRow | undefined {
    return submissions.get(this.database, { order_id: orderId });
  }

  /**
   * Returns until when the POST may be repeated, in ms since the epoch; undefined where it must not be.
   * @param accountId of the gateway that asks: a POST is repeated at no other account
   */
  repeatableUntil(row: SubmissionRow, accountId: number | undefined): number | undefined {
    const isSame = row.sent_to === this.#target && (row.account_id ?? undefined) === accountId;
    return isSame ? (row.repeatable_until ?? undefined) : undefined;
  }

  /** Stores that the POST is about to be sent. Must run before the first one. */
  async begin(submission: Omit<SubmissionRow, "sent_to">): Promise<void> {
    const row = { ...submission, sent_to: this.#target };
    await this.database.write("remote:sending", (tx) => submissions.insert(tx, row));
  }

  /** Removes a submission after an answer that says that nothing was accepted. */
  async discard(orderId: string): Promise<void> {
    await this.database.write("remote:refused", (tx) => submissions.delete(tx, { order_id: orderId }));
  }
}

/** Milliseconds after which an order of unknown outcome is no longer only the client's matter. */
const DOUBT_AFTER_MS = 2 * MINUTE_MS;
/** The largest correction of the clock that says nothing about the age of a POST. */
const CLOCK_SLACK_MS = MINUTE_MS;
/** Limits of calls that a person waits for: they end within 10 s. */
const PERSON_WAITS = { timeoutMs: 4500, triesMax: 2 } as const;

/** What all accounts of one core elsewhere share. */
export interface RemoteCore {
  remote: Remote;
  submissions: SubmissionStore;
  jobs: RemoteJobStore;
  downloads: Downloads;
  /** Publishes pictures of the chat. */
  references: { publish: Gateway["publishReference"] };
  /** Judges the words of a request before it is first sent. */
  moderation: Moderation;
}

/** One account of a Generation API elsewhere. */
export class RemoteGateway implements Gateway {
  /** @param accountId of the account that a person connected; undefined for the one that all share */
  constructor(
    private readonly core: RemoteCore,
    private readonly client: ApiClient,
    private readonly accountId?: number,
    private readonly onModels: (models: readonly Model[]) => void = () => {},
  ) {}

  async balance(): Promise<Balance> {
    return this.#withKey(this.client.balance(PERSON_WAITS));
  }

  async models(): Promise<readonly Model[]> {
    const models = await this.#withKey(this.client.models());
    this.onModels(models);
    return models;
  }

  /** Submits an order. May be repeated until its acceptance is written: that it was sent is known from its row. */
  async submit(request: GenerationRequest, order: OrderTerms): Promise<Accepted> {
    const { submissions, moderation } = this.core;
    const sent = submissions.find(order.id);
    const until = sent && submissions.repeatableUntil(sent, this.accountId);
    if (sent && until === undefined) throw new UncertainOutcome("a paid POST was sent before a restart");
    if (!sent) {
      await this.#checkPrice(request, order);
      if (!(await moderation.allows(requestTexts(request), "submit")))
        throw new ContractError("content_refused");
    }
    // Where the clock was set back after the POST its age is unknown, and repeats end now.
    const now = this.core.remote.clock.now();
    const isUnknown = sent !== undefined && sent.sent_at - now > CLOCK_SLACK_MS;
    return this.#withKey(this.#post(request, order, sent?.sent_at ?? now, isUnknown ? now : until));
  }

  async job(id: JobId): Promise<GatewayJob> {
    const { jobs } = this.core;
    try {
      return gatewayJobOf(await this.#withKey(this.client.job(id)));
    } catch (error) {
      const isAnswered = error instanceof ContractError || isKeyMissing(error);
      if (isAnswered && jobs.isLost(jobKeyOf(this.accountId, id))) return lostJob(id);
      throw error;
    }
  }

  async results(job: Job): Promise<readonly ResultFile[]> {
    return resultsOf(job, () => this.job(job.job_id), this.core.downloads);
  }

  /** Returns no refund: only the service itself can refund. */
  async refundLost(orderId: string, jobIds: readonly JobId[]): Promise<Kopecks> {
    this.core.remote.logger.error(
      { order_id: orderId, job_ids: jobIds },
      "results are gone: not refunded here",
    );
    return NO_KOPECKS;
  }

  publishReference(stream: Readable, userId?: number): Promise<string> {
    return this.core.references.publish(stream, userId);
  }

  /** Compares the price with the quote right before the POST, since the contract carries no quote. */
  async #checkPrice(request: GenerationRequest, { quotedKopecks }: OrderTerms): Promise<void> {
    const models = await this.#withKey(this.client.modelsAnew());
    const model = models.find(
      ({ type, model_key }) => type === request.type && model_key === request.model_key,
    );
    if (!model) throw new ContractError("model_disabled");
    const price = quotedPrice(model, request);
    if (price?.kopecks !== quotedKopecks) throw new PriceChanged(price?.kopecks ?? 0);
  }

  async #post(
    request: GenerationRequest,
    order: OrderTerms,
    sentAt: number,
    repeatableUntil: number | undefined,
  ): Promise<Accepted> {
    const { submissions, remote } = this.core;
    const { clock, logger } = remote;
    let cancelDoubt = this.#watchDoubt(order, sentAt, repeatableUntil);
    try {
      const { cost_rub, unit_cost_rub, job_id, job_ids } = await this.client.submit(request, {
        orderId: order.id,
        ...(repeatableUntil !== undefined && { repeatableUntil }),
        ...(order.signal && { signal: order.signal }),
        onSending: async (until) => {
          const sent_at = clock.now();
          const ids = { order_id: order.id, account_id: this.accountId ?? null };
          const row = { ...ids, sent_at, repeatable_until: until ?? null };
          await submissions.begin(row).catch((error: unknown) => {
            throw new Unavailable("storage", { cause: error });
          });
          cancelDoubt = this.#watchDoubt(order, sent_at, until);
        },
        beforeRepeat: () => this.#checkRepeat(request, order),
      });
      const cost = cost_rub ?? rublesOf(order.quotedKopecks);
      // The log has the ids even where the database cannot take them.
      logger.info({ order_id: order.id, job_ids, cost_rub: cost }, "order accepted by the service");
      return {
        job_id,
        job_ids,
        status: "queued",
        cost_rub: cost,
        ...(unit_cost_rub !== undefined && { unit_cost_rub }),
      };
    } catch (error) {
      // Only what proves that nothing was accepted.
      if (error instanceof ContractError || error instanceof Unavailable)
        await submissions
          .discard(order.id)
          .catch((cause: unknown) =>
            logger.error({ order_id: order.id, err: cause }, "outcome of a submission not written"),
          );
      throw error;
    } finally {
      cancelDoubt();
    }
  }

  #watchDoubt({ onDoubt }: OrderTerms, sentAt: number, repeatedUntil: number | undefined): CancelTimer {
    if (!onDoubt || repeatedUntil === undefined) return () => {};
    const { clock } = this.core.remote;
    return clock.after(leftMs(sentAt + DOUBT_AFTER_MS, clock.now(), DOUBT_AFTER_MS), () =>
      onDoubt(repeatedUntil),
    );
  }

  /**
   * Checks a repeat, which is a new order where the first POST was not accepted, and is not sent at another price. A
   * model that is no longer listed cannot be ordered anew: its refusal says that nothing was accepted.
   */
  async #checkRepeat(request: GenerationRequest, order: OrderTerms): Promise<void> {
    try {
      await this.#checkPrice(request, order);
    } catch (error) {
      if (error instanceof PriceChanged)
        throw new UncertainOutcome("the price changed before a repeat", { cause: error });
      if (!(error instanceof ContractError && error.code === "model_disabled")) throw error;
    }
  }

  /** Reports a refused key, with which nothing was accepted. A shared one is the operator's matter. */
  async #withKey<T>(call: Promise<T>): Promise<T> {
    const { logger } = this.core.remote;
    const isShared = this.accountId === undefined;
    try {
      return await call;
    } catch (error) {
      if (!isKeyRefused(error)) throw error;
      if (isShared) logger.error({ reason: reasonOf(error) }, "CORE_API_KEY is refused by the service");
      throw new Unavailable(isShared ? "unreachable" : "account", { cause: error });
    }
  }
}
