import { type Generated, type Selectable, sql } from "kysely";
import { IdempotencyConflictError } from "../contract/errors.js";
import type { Database, Transaction } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import type { TrustedClock } from "../database/trusted-clock.js";
import type { CancelTimer, Clock } from "../platform/clock.js";
import type { Ids } from "../platform/ids.js";
import { type Integer, integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import { HOUR_MS } from "../platform/units.js";
import type { KeyedAcceptance, KeyedRequest } from "../ports/api.js";
import type { Submissions } from "./submissions.js";

/** Idempotency keys of accepted API requests. */
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
type IdempotencyKeyRow = Readonly<Selectable<IdempotencyKeyTable>>;

const selectKey = prepare<{ accountId: number; key: string }, IdempotencyKeyRow>((p) =>
  qb.selectFrom("idempotency_key").selectAll().where("account_id", "=", p.accountId).where("key", "=", p.key),
);
const deleteExpiredKey = prepare<{ accountId: number; key: string; until: Integer }>((p) =>
  qb
    .deleteFrom("idempotency_key")
    .where("account_id", "=", p.accountId)
    .where("key", "=", p.key)
    .where("created_at", "<=", p.until),
);
const insertKey = prepare<Omit<IdempotencyKeyRow, "id">>((p) =>
  qb.insertInto("idempotency_key").values({
    account_id: p.account_id,
    key: p.key,
    fingerprint: p.fingerprint,
    order_id: p.order_id,
    created_at: p.created_at,
  }),
);
const deleteExpired = prepare<{ until: Integer; limit: number }>((p) =>
  qb
    .deleteFrom("idempotency_key")
    .where("id", "in", (eb) =>
      eb.selectFrom("idempotency_key").select("id").where("created_at", "<=", p.until).limit(p.limit),
    ),
);
const selectOldest = prepare<object, { created_at: Integer }>(() =>
  qb.selectFrom("idempotency_key").select("created_at").orderBy("created_at").limit(sql.lit(1)),
);

/** Reads the row of a key, which may have expired already. */
export function idempotencyKey(
  source: Transaction | Database,
  accountId: number,
  key: string,
): IdempotencyKeyRow | undefined {
  return source.first(selectKey, { accountId, key });
}

/** Stores a key, over a row of it created up to `expiredUntil` (ms since the epoch). Throws where one is unexpired. */
export function insertIdempotencyKey(
  tx: Transaction,
  row: Omit<IdempotencyKeyRow, "id">,
  expiredUntil: number,
): void {
  tx.run(deleteExpiredKey, { accountId: row.account_id, key: row.key, until: expiredUntil });
  tx.insert(insertKey, row);
}

function hasExpiredKeys(source: Transaction | Database, until: Integer): boolean {
  const oldest = source.first(selectOldest, {});
  return oldest !== undefined && oldest.created_at <= until;
}

function deleteExpiredKeys(tx: Transaction, until: Integer, limit: number): number {
  return tx.run(deleteExpired, { until, limit });
}

export const IDEMPOTENCY_RETENTION_SEC = 24 * 60 * 60;
const IDEMPOTENCY_RETENTION_MS = IDEMPOTENCY_RETENTION_SEC * 1000;
/** Longest leap of a clock that is looked at every hour. After a longer downtime keys are kept for a day more. */
export const KEYS_CLOCK_LEAP_MS = 2 * HOUR_MS;

/** Separates keyed API requests from chat orders, whose ids have no colon. */
const ORDER_PREFIX = "api:";

interface IdempotentSubmissionsOptions {
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

const CLEANUP_INTERVAL_MS = HOUR_MS;
const BATCH_ROWS = 500;

interface IdempotencyCleanupOptions {
  database: Database;
  clock: Clock;
  trusted: TrustedClock;
  logger: Logger;
}

export class IdempotencyCleanup {
  readonly #options: IdempotencyCleanupOptions;
  #isStopped = false;
  #cancelTimer: CancelTimer = () => {};
  #work: Promise<void> = Promise.resolve();

  constructor(options: IdempotencyCleanupOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.#work = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.#work;
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#options;
    try {
      await this.#removeExpired();
    } catch (error) {
      logger.error({ err: error }, "expired idempotency keys not removed");
    }
    if (this.#isStopped) return;
    this.#cancelTimer = clock.after(CLEANUP_INTERVAL_MS, () => {
      this.#work = this.#run();
    });
  }

  async #removeExpired(): Promise<void> {
    const { database, trusted } = this.#options;
    await trusted.check();
    const until = integer(trusted.now() - IDEMPOTENCY_RETENTION_MS);
    let removed = hasExpiredKeys(database, until) ? BATCH_ROWS : 0;
    while (removed === BATCH_ROWS && !this.#isStopped) {
      removed = await database.writeLazily("idempotency:cleanup", (tx) =>
        deleteExpiredKeys(tx, until, BATCH_ROWS),
      );
    }
  }
}
