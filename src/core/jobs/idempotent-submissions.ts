import { IdempotencyConflictError } from "../../contract/errors.js";
import type { Database } from "../../database/database.js";
import type { TrustedClock } from "../../database/trusted-clock.js";
import type { Ids } from "../../platform/ids.js";
import { integer } from "../../platform/integer.js";
import { HOUR_MS } from "../../platform/units.js";
import type { KeyedAcceptance, KeyedRequest } from "../../ports/api.js";
import { type IdempotencyKeyRow, idempotencyKey, insertIdempotencyKey } from "./idempotency-table.js";
import type { Submissions } from "./submissions.js";

export const IDEMPOTENCY_RETENTION_SEC = 24 * 60 * 60;
export const IDEMPOTENCY_RETENTION_MS = IDEMPOTENCY_RETENTION_SEC * 1000;
/** Longest leap of a clock that is looked at every hour. After a longer downtime keys are kept for a day more. */
export const KEYS_CLOCK_LEAP_MS = 2 * HOUR_MS;

/** Separates keyed API requests from chat orders, whose ids have no colon. */
const ORDER_PREFIX = "api:";

export interface IdempotentSubmissionsOptions {
  database: Database;
  submissions: Pick<Submissions, "submit">;
  trusted: TrustedClock;
  ids: Ids;
}

/**
 * Accepts API requests at most once per account and key. The transaction that charges and queues the jobs stores
 * the key as an order; a repeated request is answered from its jobs. A rejected request does not store its key.
 */
export class IdempotentSubmissions {
  readonly #options: IdempotentSubmissionsOptions;
  readonly #inFlight = new Set<string>();

  constructor(options: IdempotentSubmissionsOptions) {
    this.#options = options;
  }

  /** Throws IdempotencyConflictError | ContractError | Unavailable; nothing was changed then. */
  async submit(request: KeyedRequest): Promise<KeyedAcceptance> {
    const id = `${request.accountId}:${request.key}`;
    if (this.#inFlight.has(id)) throw new IdempotencyConflictError("in_use");
    this.#inFlight.add(id);
    try {
      return await this.#submitOnce(request);
    } finally {
      this.#inFlight.delete(id);
    }
  }

  async #submitOnce({ accountId, key, body, fingerprint }: KeyedRequest): Promise<KeyedAcceptance> {
    const { submissions, trusted, ids } = this.#options;
    const terms = { accountId, origin: "api", quotedKopecks: null } as const;
    const remembered = this.#remembered(accountId, key);
    if (remembered) {
      if (remembered.fingerprint !== fingerprint) throw new IdempotencyConflictError("reused");
      const accepted = await submissions.submit(body, { ...terms, orderId: remembered.order_id });
      return { accepted, isReplayed: true };
    }
    const orderId = `${ORDER_PREFIX}${ids.order()}`;
    const accepted = await submissions.submit(body, {
      ...terms,
      orderId,
      onAccept: (tx, at) =>
        insertIdempotencyKey(
          tx,
          { account_id: accountId, key, fingerprint, order_id: orderId, created_at: at },
          integer(trusted.now() - IDEMPOTENCY_RETENTION_MS),
        ),
    });
    return { accepted, isReplayed: false };
  }

  #remembered(accountId: number, key: string): IdempotencyKeyRow | undefined {
    const { database, trusted } = this.#options;
    const row = idempotencyKey(database, accountId, key);
    return row && trusted.now() - row.created_at < IDEMPOTENCY_RETENTION_MS ? row : undefined;
  }
}
