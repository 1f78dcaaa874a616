import type { JobId } from "../../../contract/job.js";
import { type Kopecks, NO_KOPECKS } from "../../../contract/money.js";
import type { Database } from "../../../database/database.js";
import type { Transaction } from "../../../database/transaction.js";
import type { Clock } from "../../../platform/clock.js";
import type { Integer } from "../../../platform/integer.js";
import type { Drafts } from "../../card/draft/draft-store.js";
import type { Spending } from "../../people/spending/spending.js";
import { deliveredMessage, insertDeliveredMessage } from "./delivered-message-table.js";
import type { Delivery, ResultRef, SentFile, UploadFailures } from "./delivery.js";
import * as offers from "./delivery-offer-table.js";
import * as deliveries from "./delivery-table.js";
import * as finalStatuses from "./final-status-table.js";
import { JobTakenError } from "./job-taken-error.js";
import type { Claim, Order, PendingFinalStatus, Refused, TakeClaim } from "./order.js";
import { takenJob } from "./order-job-table.js";
import { insertClaimed, moveOrder, refuseOrder, setJobs } from "./order-moves.js";
import { OrderProgress } from "./order-progress.js";
import { deleteProgress } from "./order-progress-table.js";
import { type DeliveryMove, nextDeliveryState } from "./order-state.js";
import * as table from "./order-table.js";
import { countTakeIn, type Takes, takesIn } from "./take-table.js";
import { UncertainStore } from "./uncertain-store.js";

/** Stores orders. Moves that `order-state.ts` forbids resolve to `undefined`. A failed commit rejects. */
export class OrderStore {
  readonly uncertain: UncertainStore;
  readonly progress: OrderProgress;
  readonly #database: Database;
  readonly #drafts: Drafts;
  readonly #clock: Clock;
  readonly #spending: Spending | undefined;

  constructor(database: Database, drafts: Drafts, clock: Clock, spending?: Spending) {
    this.#database = database;
    this.#drafts = drafts;
    this.#clock = clock;
    this.#spending = spending;
    this.uncertain = new UncertainStore(database, drafts, clock, spending);
    this.progress = new OrderProgress(database);
  }

  find(id: string): Order | undefined {
    const row = this.#database.first(table.orderById, { id });
    return row && table.orderOf(row);
  }

  /** Lists the oldest first. */
  inState(state: "claimed" | "accepted"): Order[] {
    return this.#database.all(table.ordersInState[state], {}).map(table.orderOf);
  }

  /** True when it is unknown whether the draft's order was charged. */
  isUncertain(draftId: number): boolean {
    return this.#database.first(table.uncertainOfDraft, { draft_id: draftId }) !== undefined;
  }

  /** True while a paid result has not arrived in this chat. */
  isUnderWay(userId: number, chatId: number): boolean {
    const inChat = { user_id: userId, chat_id: chatId };
    const order = this.#database.first(table.runningInChat, inChat);
    return (order ?? this.#database.first(deliveries.undeliveredInChat, inChat)) !== undefined;
  }

  /**
   * Creates the order of a draft, once: `undefined` when the draft has changed or is already claimed.
   * @throws LimitExceededError; nothing was changed
   */
  claim(claim: Claim): Promise<Order | undefined> {
    return this.#database.write("order-claim", (tx) => {
      if (!this.#drafts.changeIn(tx, claim.draft, { state: "ordered" })) return undefined;
      return this.#insertIn(tx, claim);
    });
  }

  /**
   * Creates the order of a further take, once: `undefined` when `number` of them is not what was ordered.
   * @throws LimitExceededError; nothing was changed
   */
  claimTake({ of, number, draft, ...claim }: TakeClaim): Promise<Order | undefined> {
    return this.#database.write("order-take", (tx) => {
      if (!countTakeIn(tx, { orderId: of.id, taken: number, nextOrderId: claim.orderId })) return undefined;
      return this.#insertIn(tx, { ...claim, draft: this.#drafts.insertIn(tx, draft, "ordered") });
    });
  }

  takesOf(orderId: string): Takes | undefined {
    return takesIn(this.#database, orderId);
  }

  #insertIn(tx: Transaction, claim: Claim): Order {
    this.#drafts.rememberIn(tx, claim.draft);
    const statusMessageId = this.#drafts.messageIn(tx, claim.draft.id);
    const order = insertClaimed(tx, claim, { statusMessageId, createdAt: this.#clock.now() });
    this.#spending?.chargeIn(tx, order);
    return order;
  }

  /**
   * Records the acceptance. Throws JobTakenError, and changes nothing, when a job belongs to another order.
   * @param chargedKopecks undefined where it is not known: then the quote stands
   */
  accept({ id }: Order, jobIds: readonly JobId[], chargedKopecks?: Kopecks): Promise<Order | undefined> {
    return this.#database.write("order-accept", (tx) => {
      const order = moveOrder(tx, id, "accept");
      if (!order) return undefined;
      const taken = takenJob(tx, jobIds, order, this.#spending !== undefined);
      if (taken !== undefined) throw new JobTakenError(taken);
      if (chargedKopecks !== undefined) this.#spending?.correctIn(tx, id, chargedKopecks);
      return setJobs(tx, order, jobIds);
    });
  }

  /** Ends an order that was not charged. Its draft can be edited again. */
  refuse(order: Order): Promise<Refused | undefined> {
    return this.#database.write("order-refuse", (tx) => {
      const refused = refuseOrder(tx, this.#drafts, order.id, "refuse");
      if (refused) this.#spending?.refundIn(tx, order.id);
      return refused;
    });
  }

  /** Creates the delivery of an order, due now. `refundedKopecks`: what the service gave back for failed jobs. */
  finishJobs({ id }: Order, refundedKopecks = NO_KOPECKS): Promise<Order | undefined> {
    return this.#database.write("order-finish", (tx) => {
      const order = moveOrder(tx, id, "finish_jobs");
      if (!order) return undefined;
      this.#spending?.refundIn(tx, id, refundedKopecks);
      const { userId: user_id, chatId: chat_id } = order;
      const created_at = this.#clock.now();
      tx.run(deliveries.insertDelivery, { order_id: id, user_id, chat_id, state: "pending", created_at });
      return order;
    });
  }

  findDelivery(orderId: string): Delivery | undefined {
    const row = this.#database.first(deliveries.deliveryByOrder, { id: orderId });
    return row && deliveries.deliveryOf(row);
  }

  /** Lists the oldest first. */
  deliveriesInState(state: "pending" | "parked"): Delivery[] {
    return this.#database.all(deliveries.deliveriesInState[state], {}).map(deliveries.deliveryOf);
  }

  /** Counts a failed attempt. `nextTryAt` is in ms. */
  postpone(orderId: string, nextTryAt: Integer, outcome: string): Promise<Delivery | undefined> {
    return this.#database.write("delivery-postpone", (tx) =>
      this.#moveDelivery(tx, orderId, "postpone", ({ attempts }) => ({
        attempts: attempts + 1,
        next_try_at: nextTryAt,
        outcome,
      })),
    );
  }

  park(orderId: string, outcome: string): Promise<Delivery | undefined> {
    return this.#database.write("delivery-park", (tx) =>
      this.#moveDelivery(tx, orderId, "park", () => ({ outcome })),
    );
  }

  /** Makes the person's parked deliveries due now. Resolves to their order ids. */
  unpark(userId: number): Promise<string[]> {
    const next_try_at = this.#clock.now();
    return this.#database.write("delivery-unpark", (tx) => {
      const orderIds = tx.all(deliveries.parkedOfUser, { user_id: userId }).map(({ order_id }) => order_id);
      return orderIds.filter((id) => this.#moveDelivery(tx, id, "unpark", () => ({ next_try_at })));
    });
  }

  /** Closes the order and enqueues its final status. `isDone`: something was made. */
  endDelivery(
    orderId: string,
    state: "sent" | "failed" | "expired",
    outcome: string,
    isDone: boolean,
  ): Promise<Delivery | undefined> {
    const ended_at = this.#clock.now();
    return this.#database.write("delivery-end", (tx) => {
      const delivery = this.#moveDelivery(tx, orderId, `end_${state}`, () => ({ outcome, ended_at }));
      if (!delivery) return undefined;
      moveOrder(tx, orderId, "close");
      tx.run(finalStatuses.insertFinalStatus, { order_id: orderId, is_done: isDone ? 1 : 0 });
      if (state === "expired") tx.run(offers.insertOffer, { id: orderId, user_id: delivery.userId });
      return delivery;
    });
  }

  /** Saves what was sent. `chatId`: the chat that the new ones of `files` were sent to. */
  async saveFiles(orderId: string, files: readonly SentFile[], chatId: number): Promise<void> {
    const change = { id: orderId, files: JSON.stringify(files) };
    await this.#database.write("delivery-files", (tx) => {
      const before = tx.first(deliveries.deliveryByOrder, { id: orderId });
      const known = before ? deliveries.deliveryOf(before).files.length : 0;
      tx.run(deliveries.setFiles, change);
      this.#rememberMessages(tx, orderId, files.slice(known), chatId);
    });
  }

  /** Saves the originals that were sent. `chatId`: the chat that the last one was sent to. */
  async saveOriginals(orderId: string, originals: readonly SentFile[], chatId: number): Promise<void> {
    const change = { id: orderId, originals: JSON.stringify(originals) };
    await this.#database.write("delivery-originals", (tx) => {
      tx.run(deliveries.setOriginals, change);
      this.#rememberMessages(tx, orderId, originals.slice(-1), chatId);
    });
  }

  /** Finds the result that a message of the chat shows. */
  resultIn(chatId: number, messageId: number): (ResultRef & { orderId: string }) | undefined {
    const row = this.#database.first(deliveredMessage, { chat_id: chatId, message_id: messageId });
    return row && { orderId: row.order_id, index: row.job_index, track: row.track };
  }

  async saveUploadFailures(orderId: string, failures: readonly UploadFailures[]): Promise<void> {
    const change = { id: orderId, upload_failures: JSON.stringify(failures) };
    await this.#database.write("delivery-upload-failures", (tx) =>
      tx.run(deliveries.setUploadFailures, change),
    );
  }

  /** Redirects the remaining files, after a group has migrated or refused the bot. */
  async moveDelivery(orderId: string, chatId: number): Promise<void> {
    const change = { id: orderId, chat_id: chatId };
    await this.#database.write("delivery-move", (tx) => tx.run(deliveries.setChat, change));
  }

  /** Tells whether the delivery has expired. Stays true after it is reopened. */
  hasExpired(orderId: string): boolean {
    return this.#database.first(offers.offerByOrder, { id: orderId }) !== undefined;
  }

  dueOffers(userId: number): string[] {
    return this.#database.all(offers.dueOffersOfUser, { user_id: userId }).map(({ order_id }) => order_id);
  }

  async markOffered(orderIds: readonly string[]): Promise<void> {
    const now = this.#clock.now();
    await this.#database.write("delivery-offer", (tx) => {
      for (const id of orderIds) tx.run(offers.setOffered, { id, now });
    });
  }

  /** Makes expired deliveries due now, with zero attempts. Resolves to their order ids, oldest first. */
  reopenExpired(userId: number): Promise<string[]> {
    const now = this.#clock.now();
    const outcome = "its person asked for it";
    const fresh = { attempts: 0, next_try_at: now, outcome, created_at: now, ended_at: null };
    return this.#database.write("delivery-reopen", (tx) => {
      const orderIds = tx.all(offers.expiredOfUser, { user_id: userId }).map(({ order_id }) => order_id);
      return orderIds.filter((id) => {
        moveOrder(tx, id, "reopen");
        tx.run(offers.setOffered, { id, now });
        return this.#moveDelivery(tx, id, "reopen", () => ({ ...fresh, upload_failures: "[]" }));
      });
    });
  }

  pendingFinalStatuses(): PendingFinalStatus[] {
    const rows = this.#database.all(finalStatuses.allFinalStatuses, {});
    return rows.map(({ order_id, is_done }) => ({ orderId: order_id, isDone: is_done === 1 }));
  }

  async finalStatusShown(orderId: string): Promise<void> {
    await this.#database.writeLazily("final-status", (tx) => {
      tx.run(finalStatuses.deleteFinalStatus, { id: orderId });
      tx.run(deleteProgress, { id: orderId });
    });
  }

  #rememberMessages(tx: Transaction, orderId: string, files: readonly SentFile[], chatId: number): void {
    for (const { messageId: message_id, index: job_index, track } of files)
      tx.run(insertDeliveredMessage, { chat_id: chatId, message_id, order_id: orderId, job_index, track });
  }

  #moveDelivery(
    tx: Transaction,
    id: string,
    move: DeliveryMove,
    changeOf: (row: deliveries.DeliveryProgress) => Partial<deliveries.DeliveryProgress>,
  ): Delivery | undefined {
    const row = tx.first(deliveries.deliveryByOrder, { id });
    const state = row && nextDeliveryState(row.state, move);
    if (!state) return undefined;
    const next = { ...row, ...changeOf(row), state };
    tx.run(deliveries.setProgress, { ...next, id });
    return deliveries.deliveryOf(next);
  }
}
