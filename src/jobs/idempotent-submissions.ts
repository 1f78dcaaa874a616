import type { Generated } from "kysely";
import { IdempotencyConflictError } from "../contract/errors.js";
import type { Accepted } from "../contract/request.js";
import type { Ground } from "../database/ground.js";
import { prepare, qb } from "../database/prepared.js";
import { atMost, table } from "../database/table.js";
import type { TrustedClock } from "../database/trusted-clock.js";
import { type Integer, integer } from "../platform/integer.js";
import { Recurring } from "../platform/retry.js";
import { HOUR_MS } from "../platform/units.js";
import type { Submissions } from "./submissions.js";

export interface KeyedAcceptance {
  accepted: Accepted;
  /** True when an earlier request with the key was accepted and this one changed nothing. */
  isReplayed: boolean;
}

export interface KeyedRequest {
  accountId: number;
  key: string;
  body: unknown;
  /** Hash of the whole body: another one under the same key is refused. */
  fingerprint: string;
  /** What the caller knows the request by. */
  requestId?: string;
}

interface IdempotencyKeyTable {
  id: Generated<number>;
  account_id: number;
  key: string;
  fingerprint: string;
  order_id: string;
  /** Time of acceptance, in ms since the epoch. */
  created_at: Integer;
}

declare module "../database/prepared.js" {
  interface Schema {
    idempotency_key: IdempotencyKeyTable;
  }
}

const keys = table("idempotency_key");
const deleteExpired = prepare<{ until: Integer; limit: number }>((p) =>
  qb
    .deleteFrom("idempotency_key")
    .where("id", "in", (eb) =>
      eb.selectFrom("idempotency_key").select("id").where("created_at", "<=", p.until).limit(p.limit),
    ),
);

export const IDEMPOTENCY_RETENTION_SEC = 24 * 60 * 60;
const IDEMPOTENCY_RETENTION_MS = IDEMPOTENCY_RETENTION_SEC * 1000;
/** Longest leap of a clock that is looked at every hour. After a longer downtime keys are kept for a day more. */
export const KEYS_CLOCK_LEAP_MS = 2 * HOUR_MS;

/** Separates keyed API requests from chat orders, whose ids have no colon. */
const ORDER_PREFIX = "api:";

/**
 * Accepts API requests at most once per account and key. The transaction that charges and queues the jobs stores
 * the key as an order; a repeated request is answered from its jobs. A rejected request does not store its key.
 */
export class IdempotentSubmissions {
  readonly #inFlight = new Set<string>();

  constructor(
    private readonly ground: Ground,
    private readonly submissions: Pick<Submissions, "submit">,
    private readonly trusted: TrustedClock,
  ) {}

  /** Throws IdempotencyConflictError | ContractError | Unavailable; nothing was changed then. */
  async submit(request: KeyedRequest): Promise<KeyedAcceptance> {
    const id = `${request.accountId}:${request.key}`;
    if (this.#inFlight.has(id)) throw new IdempotencyConflictError("in_use");
    this.#inFlight.add(id);
    return this.#submitOnce(request).finally(() => this.#inFlight.delete(id));
  }

  async #submitOnce(request: KeyedRequest): Promise<KeyedAcceptance> {
    const { accountId, key, body, fingerprint, requestId } = request;
    const { database, ids } = this.ground;
    const terms = { accountId, origin: "api", quotedKopecks: null, requestId } as const;
    const known = keys.get(database, { account_id: accountId, key });
    if (known && this.trusted.now() - known.created_at < IDEMPOTENCY_RETENTION_MS) {
      if (known.fingerprint !== fingerprint) throw new IdempotencyConflictError("reused");
      const accepted = await this.submissions.submit(body, { ...terms, orderId: known.order_id });
      return { accepted, isReplayed: true };
    }
    const orderId = `${ORDER_PREFIX}${ids.order()}`;
    const accepted = await this.submissions.submit(body, {
      ...terms,
      orderId,
      // The insert throws where the key is unexpired.
      writeIn: (tx, _jobIds, at) => {
        const until = atMost(this.trusted.now() - IDEMPOTENCY_RETENTION_MS);
        keys.delete(tx, { account_id: accountId, key, created_at: until });
        keys.insert(tx, { account_id: accountId, key, fingerprint, order_id: orderId, created_at: at });
      },
    });
    return { accepted, isReplayed: false };
  }
}

const BATCH_ROWS = 500;

export function idempotencyCleanup({ database, clock, logger }: Ground, trusted: TrustedClock): Recurring {
  return new Recurring({
    clock,
    everyMs: HOUR_MS,
    async work(signal) {
      await trusted.check();
      const until = integer(trusted.now() - IDEMPOTENCY_RETENTION_MS);
      const [oldest] = keys.all(database, {}, { orderBy: ["created_at"], limit: 1 });
      let removed = oldest && oldest.created_at <= until ? BATCH_ROWS : 0;
      while (removed === BATCH_ROWS && !signal.aborted) {
        removed = await database.writeLazily("idempotency:cleanup", (tx) =>
          tx.run(deleteExpired, { until, limit: BATCH_ROWS }),
        );
      }
    },
    onFailure: (error) => logger.error({ err: error }, "expired idempotency keys not removed"),
  });
}
