import { NO_KOPECKS, sumOf } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import type {
  OrderJob,
  OrderMoney,
  OrderRecord,
  OrderRecords,
  OrderRefundOutcome,
  OrderRefundRequest,
} from "../../ports/order-records.js";
import type { Accounts } from "../account/accounts.js";
import { entryByKey } from "../ledger/ledger-store.js";
import { publicJobId } from "./job-id.js";
import { type JobRow, jobsOfOrder } from "./job-store.js";
import { attemptsOfJob } from "./order-attempts.js";
import { orderRefundKey, refundableJobs, refundOrder } from "./refund-order.js";

interface OrderReaderOptions {
  database: Database;
  accounts: Pick<Accounts, "find">;
  clock: Clock;
  logger: Logger;
  /** Called after a refund: sums of old jobs have changed. */
  onRefunded: () => void;
}

/** Reads orders for admins from jobs, attempts and the ledger, and refunds them. */
export class OrderReader implements OrderRecords {
  readonly #options: OrderReaderOptions;

  constructor(options: OrderReaderOptions) {
    this.#options = options;
  }

  of(userId: number, orderId: string): OrderRecord {
    const { database, accounts } = this.#options;
    const accountId = accounts.find(database, userId);
    if (accountId === undefined) return { money: [], jobs: [], refundableKopecks: NO_KOPECKS };
    const rows = jobsOfOrder(database, accountId, orderId);
    return {
      money: this.#moneyOf(accountId, orderId, rows),
      jobs: rows.map((row) => this.#jobOf(row)),
      refundableKopecks: sumOf((refundableJobs(rows) ?? []).map(({ cost }) => cost)),
    };
  }

  async refund(request: OrderRefundRequest): Promise<OrderRefundOutcome> {
    const { database, accounts, clock, logger, onRefunded } = this.#options;
    const { userId, orderId, actor } = request;
    const outcome = await database.write("order:refund", (tx): OrderRefundOutcome => {
      const accountId = accounts.find(tx, userId);
      if (accountId === undefined) return { kind: "nothing" };
      return refundOrder(tx, { ...request, accountId, at: clock.now() });
    });
    logger.info({ user_id: userId, order_id: orderId, actor, outcome: outcome.kind }, "order refund");
    if (outcome.kind === "done") onRefunded();
    return outcome;
  }

  /** Finds entries by their keys, however many the account has. */
  #moneyOf(accountId: number, orderId: string, jobs: readonly JobRow[]): OrderMoney[] {
    const keys = [
      `charge:${accountId}:${orderId}`,
      ...jobs.map(({ id }) => `refund:${id}`),
      `refund-lost:${accountId}:${orderId}`,
      orderRefundKey(accountId, orderId),
    ];
    const entries = keys.flatMap((key) => entryByKey(this.#options.database, key) ?? []);
    return entries
      .toSorted((a, b) => a.id - b.id)
      .map(({ amount, created_at, actor }) => ({ kopecks: amount, at: created_at, actor }));
  }

  #jobOf(row: JobRow): OrderJob {
    return {
      id: publicJobId(row.type, row.id),
      status: row.status,
      provider: row.provider,
      startedAt: row.started_at,
      finishedAt: row.finished_at,
      failure: row.failure,
      attempts: attemptsOfJob(this.#options.database, row.id),
    };
  }
}
