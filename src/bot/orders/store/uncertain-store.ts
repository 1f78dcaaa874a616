import type { JobId } from "../../../contract/job.js";
import type { Kopecks } from "../../../contract/money.js";
import type { Database } from "../../../database/database.js";
import type { Transaction } from "../../../database/transaction.js";
import type { Clock } from "../../../platform/clock.js";
import type { Integer } from "../../../platform/integer.js";
import type { Drafts } from "../../card/draft/draft-store.js";
import type { Spending } from "../../people/spending/spending.js";
import type { Order, Refused } from "./order.js";
import { takenJob } from "./order-job-table.js";
import { moveOrder, refuseOrder, setJobs } from "./order-moves.js";
import { orderById, orderOf, replacementOf } from "./order-table.js";
import {
  type BalanceHint,
  type ChargedOutcome,
  type PersonNews,
  storedAdminIds,
  type UncertainOrder,
} from "./uncertain-order.js";
import * as table from "./uncertain-table.js";

const UNKNOWN_BALANCE: BalanceHint = { before: null, after: null };

/** Stores orders of unknown outcome, who was told of them, and how they were settled. */
export class UncertainStore {
  readonly #database: Database;
  readonly #drafts: Drafts;
  readonly #clock: Clock;
  readonly #spending: Spending | undefined;

  constructor(database: Database, drafts: Drafts, clock: Clock, spending: Spending | undefined) {
    this.#database = database;
    this.#drafts = drafts;
    this.#clock = clock;
    this.#spending = spending;
  }

  find(number: number): UncertainOrder | undefined {
    return this.#whole(this.#database.first(table.recordByNumber, { number }));
  }

  findByOrder(orderId: string): UncertainOrder | undefined {
    return this.#whole(this.#database.first(table.recordByOrder, { order_id: orderId }));
  }

  /** Lists orders that are not settled, newest first. */
  open(offset: number, limit: number): UncertainOrder[] {
    const rows = this.#database.all(table.openRecords, { offset, limit });
    return rows.map((row) => this.#whole(row)).filter((record) => record !== undefined);
  }

  countOpen(): number {
    return this.#database.first(table.countOpenRecords, {})?.count ?? 0;
  }

  withNews(): string[] {
    return this.#database.all(table.recordsWithNews, {}).map(({ order_id }) => order_id);
  }

  repeated(): Order[] {
    const rows = this.#database.all(table.repeatedRecords, {});
    return rows.map(({ order_id }) => this.findByOrder(order_id)?.order).filter((one) => one !== undefined);
  }

  /** Marks an order as uncertain. Undefined when it is no longer claimed. `repeatedUntil`: the end of repeats. */
  mark(
    { id }: Order,
    balance: BalanceHint = UNKNOWN_BALANCE,
    repeatedUntil: Integer | null = null,
  ): Promise<UncertainOrder | undefined> {
    return this.#database.write("order-uncertain", (tx) => {
      const order = moveOrder(tx, id, "mark_uncertain");
      if (!order) return undefined;
      const createdAt = this.#clock.now();
      const number = tx.insert(table.insertRecord, {
        order_id: id,
        created_at: createdAt,
        balance_before_kopecks: balance.before,
        balance_after_kopecks: balance.after,
        person_news: "uncertain",
        told_admin_ids: "[]",
        repeated_until: repeatedUntil,
      });
      return {
        number,
        order,
        createdAt,
        balance,
        repeatedUntil,
        personNews: "uncertain",
        toldAdminIds: [],
      };
    });
  }

  /** Makes the order wait for an admin, when the repeats have settled nothing. Undefined when it is not uncertain. */
  endRepeats({ id }: Order): Promise<UncertainOrder | undefined> {
    return this.#database.write("order-repeats-ended", (tx) => {
      const order = tx.first(orderById, { id });
      if (order?.state !== "uncertain") return undefined;
      tx.run(table.endRepeats, { order_id: id });
      const row = tx.first(table.recordByOrder, { order_id: id });
      return row && recordOf(row, orderOf(order));
    });
  }

  /**
   * Continues the order with these jobs. A job of another order is refused.
   * @param chargedKopecks undefined where it is not known: then the quote stands
   */
  settleCharged(order: Order, jobIds: readonly JobId[], chargedKopecks?: Kopecks): Promise<ChargedOutcome> {
    return this.#database.write("order-settle", (tx) =>
      this.#chargedIn(tx, order, jobIds, chargedKopecks, () => moveOrder(tx, order.id, "settle_charged")),
    );
  }

  /** Works as `settleCharged`, after the order was settled as not charged, and while no other has taken its place. */
  takeBack(order: Order, jobIds: readonly JobId[], chargedKopecks: Kopecks): Promise<ChargedOutcome> {
    const { id, draftId } = order;
    return this.#database.write("order-take-back", (tx): ChargedOutcome => {
      if (!tx.first(table.recordByOrder, { order_id: id })) return { kind: "not_uncertain" };
      const own = { id, draft_id: draftId, user_id: order.userId, created_at: order.createdAt };
      if (tx.first(replacementOf, { ...own, model_key: order.request.model_key })) return { kind: "newer" };
      return this.#chargedIn(tx, order, jobIds, chargedKopecks, () => {
        const moved = moveOrder(tx, id, "take_back_refusal");
        // A tap on its card would be a second order.
        if (moved) this.#drafts.closeIn(tx, draftId);
        return moved;
      });
    });
  }

  /** Refuses the order, whose draft can be edited again. Undefined when it is not uncertain. */
  settleNotCharged({ id }: Order): Promise<Refused | undefined> {
    return this.#database.write("order-settle", (tx) => {
      const refused = refuseOrder(tx, this.#drafts, id, "settle_not_charged");
      if (!refused) return undefined;
      this.#spending?.refundIn(tx, id);
      tx.run(table.setNews, { order_id: id, person_news: "not_charged" });
      return refused;
    });
  }

  /** Keeps news that came after `news`. */
  async personTold(orderId: string, news: PersonNews): Promise<void> {
    await this.#database.write("uncertain-person-told", (tx) =>
      tx.run(table.clearNews, { order_id: orderId, person_news: news }),
    );
  }

  async adminTold(orderId: string, adminId: number): Promise<void> {
    await this.#database.write("uncertain-admin-told", (tx) => {
      const row = tx.first(table.recordByOrder, { order_id: orderId });
      const told = row ? storedAdminIds.parse(JSON.parse(row.told_admin_ids)) : [];
      const ids = [...new Set([...told, adminId])];
      tx.run(table.setToldAdmins, { order_id: orderId, told_admin_ids: JSON.stringify(ids) });
    });
  }

  #chargedIn(
    tx: Transaction,
    order: Order,
    jobIds: readonly JobId[],
    chargedKopecks: Kopecks | undefined,
    move: () => Order | undefined,
  ): ChargedOutcome {
    const { id } = order;
    const taken = takenJob(tx, jobIds, order, this.#spending !== undefined);
    if (taken !== undefined) return { kind: "taken", jobId: taken };
    const moved = move();
    if (!moved) return { kind: "not_uncertain" };
    if (chargedKopecks !== undefined) this.#spending?.correctIn(tx, id, chargedKopecks);
    tx.run(table.setNews, { order_id: id, person_news: "charged" });
    return { kind: "settled", order: setJobs(tx, moved, jobIds) };
  }

  #whole(row: table.UncertainRow | undefined): UncertainOrder | undefined {
    const order = row && this.#database.first(orderById, { id: row.order_id });
    return order && recordOf(row, orderOf(order));
  }
}

function recordOf(row: table.UncertainRow, order: Order): UncertainOrder {
  return {
    number: row.number,
    order,
    createdAt: row.created_at,
    balance: { before: row.balance_before_kopecks, after: row.balance_after_kopecks },
    repeatedUntil: row.repeated_until,
    personNews: row.person_news,
    toldAdminIds: storedAdminIds.parse(JSON.parse(row.told_admin_ids)),
  };
}
