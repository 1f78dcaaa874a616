import { sql } from "kysely";
import { z } from "zod";
import type { JobId } from "../../contract/job.js";
import { type Kopecks, NO_KOPECKS } from "../../contract/price.js";
import type { Database, Transaction } from "../../database/database.js";
import { JsonColumn } from "../../database/json-column.js";
import { prepare, qb } from "../../database/prepared.js";
import { table } from "../../database/table.js";
import type { Clock } from "../../platform/clock.js";
import { type Integer, integer } from "../../platform/integer.js";
import { DAY_MS } from "../../platform/units.js";
import type { Draft, Drafts } from "../card/draft-store.js";
import type { Spending } from "../people/spending.js";
import {
  type Claim,
  DELIVERY_MOVES,
  type DeliveryState,
  type Move,
  moveOrder,
  type Order,
  type OrderRow,
  orderOf,
  ordersInState,
  otherOrders,
  replacementOf,
  runningInChat,
  type TakeClaim,
} from "./order.js";
import { UncertainStore } from "./uncertain-store.js";

declare module "../../database/prepared.js" {
  interface Schema {
    order_progress: ProgressRow;
    order_take: TakeRow;
    delivery: DeliveryRow;
    final_status: FinalStatusRow;
    delivery_offer: OfferRow;
    delivered_message: DeliveredMessageRow;
  }
}

const orders = table("order", ["state"]);
const orderJobs = table("order_job");
const records = table("uncertain_record");

interface ProgressRow {
  order_id: string;
  stage: "queued" | "made";
  /** Milliseconds since the epoch at which that became known. */
  since: Integer;
}

const progress = table("order_progress");

/** Stages in the order in which an order passes them: it never goes back. */
export const STAGES = ["sent", "queued", "made"] as const;
export type Stage = (typeof STAGES)[number];

/** A stage after the first one, and since when. */
export type Reached = Pick<ProgressRow, "stage" | "since">;

/** Milliseconds for which the takes of an order are kept, like its draft. */
const KEPT_MS = 30 * DAY_MS;

/** The further takes that were ordered with the button under a result. */
interface TakeRow {
  order_id: string;
  taken: number;
  last_order_id: string;
}

const takes = table("order_take");

/** Removes the takes of which the last one was ordered before a time. */
const removeOld = prepare<{ before: Integer }>((p) =>
  qb
    .deleteFrom("order_take")
    .where(sql<Integer>`(SELECT created_at FROM "order" WHERE id = last_order_id)`, "<", p.before),
);

/** Forgets takes that are no longer repeated by accident: their button counts from the first one then. */
export async function removeOldTakes(database: Database, now: Integer): Promise<void> {
  await database.write("take-sweep", (tx) => tx.run(removeOld, { before: integer(now - KEPT_MS) }));
}

/** Thrown when a service answered an order with a job of another one. */
export class JobTakenError extends Error {
  override readonly name = "JobTakenError";
  constructor(readonly jobId: JobId) {
    super(`job ${jobId} belongs to another order`);
  }
}

const storedRef = z.object({
  /** Position of the job in the order, from 0. */
  index: z.number().int(),
  /** Position of the track in its job, from 0; 0 for images and videos. */
  track: z.number().int(),
});
export type ResultRef = z.infer<typeof storedRef>;

export function isSameResult(one: ResultRef, other: ResultRef): boolean {
  return one.index === other.index && one.track === other.track;
}

/** The kinds of messages, in sending order. */
export const SENT_AS = ["photo", "video", "audio", "document"] as const;
export type SentAs = (typeof SENT_AS)[number];

const storedFile = storedRef.extend({
  messageId: z.number().int(),
  fileId: z.string(),
  as: z.enum(SENT_AS),
});
export type SentFile = z.infer<typeof storedFile>;

/** Failed uploads of one file while Telegram answered other calls. */
const storedUploadFailures = storedRef.extend({
  times: z.number().int(),
  /** True when its size was not known, and it has passed the limit of an upload. */
  isTooLarge: z.boolean().optional(),
});
export type UploadFailures = z.infer<typeof storedUploadFailures>;

interface DeliveryRow {
  order_id: string;
  user_id: number;
  chat_id: number;
  state: DeliveryState;
  attempts: number;
  next_try_at: Integer;
  /** Why it is not sent, or was not. */
  outcome: string | null;
  files: string;
  /** Files sent as documents; sending them again needs no upload. */
  originals: string;
  upload_failures: string;
  created_at: Integer;
  ended_at: Integer | null;
}

const FILES = new JsonColumn<readonly SentFile[]>("delivery", "files", z.array(storedFile));
const ORIGINALS = new JsonColumn<readonly SentFile[]>("delivery", "originals", z.array(storedFile));
const UPLOAD_FAILURES = new JsonColumn<readonly UploadFailures[]>(
  "delivery",
  "upload_failures",
  z.array(storedUploadFailures),
);
export const DELIVERY_COLUMNS = [FILES, ORIGINALS, UPLOAD_FAILURES];

const deliveries = table("delivery");

// The condition of the partial index, as literals: the planner ignores the index otherwise.
const UNDELIVERED = [sql.lit("pending" as const), sql.lit("parked" as const)];
const deliveriesInState = prepare<{ state: "pending" | "parked" }, DeliveryRow>((p) =>
  qb
    .selectFrom("delivery")
    .selectAll()
    .where("state", "in", UNDELIVERED)
    .where("state", "=", p.state)
    .orderBy("created_at"),
);
const undeliveredInChat = prepare<{ user_id: number; chat_id: number }, Pick<DeliveryRow, "order_id">>((p) =>
  qb
    .selectFrom("delivery")
    .select("order_id")
    .where("state", "in", UNDELIVERED)
    .where("user_id", "=", p.user_id)
    .where("chat_id", "=", p.chat_id)
    .limit(sql.lit(1)),
);
const parkedOfUser = prepare<{ user_id: number }, Pick<DeliveryRow, "order_id">>((p) =>
  qb
    .selectFrom("delivery")
    .select("order_id")
    .where("state", "in", UNDELIVERED)
    .where("state", "=", sql.lit("parked" as const))
    .where("user_id", "=", p.user_id),
);
export const OPEN_DELIVERY_QUERIES = { deliveriesInState, undeliveredInChat, parkedOfUser };

/** Tries again what waits for people who had blocked the bot by a restored backup: they may have let it write since. */
export function retryParked(tx: Transaction): void {
  for (const { order_id } of tx.all(deliveriesInState, { state: "parked" }))
    deliveries.update(tx, { order_id }, { state: "pending" });
}

export interface Delivery extends Omit<DeliveryRow, "files" | "originals" | "upload_failures"> {
  files: readonly SentFile[];
  originals: readonly SentFile[];
  upload_failures: readonly UploadFailures[];
}

export function deliveryOf(row: DeliveryRow): Delivery {
  return {
    ...row,
    files: FILES.read(row.files),
    originals: ORIGINALS.read(row.originals),
    upload_failures: UPLOAD_FAILURES.read(row.upload_failures),
  };
}

interface FinalStatusRow {
  order_id: string;
  /** 1 when something was made. */
  is_done: number;
}

const finalStatuses = table("final_status");

interface OfferRow {
  order_id: string;
  user_id: number;
  /** Null until the person is told that the files are kept. */
  offered_at: Integer | null;
}

const offers = table("delivery_offer");
const expiredOfUser = prepare<{ user_id: number }, Pick<OfferRow, "order_id">>((p) =>
  qb
    .selectFrom("delivery_offer")
    .innerJoin("delivery", "delivery.order_id", "delivery_offer.order_id")
    .select("delivery.order_id")
    .where("delivery_offer.user_id", "=", p.user_id)
    .where("delivery.state", "=", "expired")
    .orderBy("delivery.created_at"),
);
export const OFFER_QUERIES = { expiredOfUser };

/** A message that shows a result: a reply to it names the result. */
interface DeliveredMessageRow {
  chat_id: number;
  message_id: number;
  order_id: string;
  job_index: number;
  track: number;
}

const deliveredMessages = table("delivered_message");

/** What came to a chat: an order, and the last of its files. */
export interface LastResult {
  order: Order;
  file: SentFile;
}

/** The result that came last is one of so many orders. */
const RESULTS_LOOKED_AT = 5;

/** Stores orders. Moves that `ORDER_MOVES` forbids resolve to `undefined`. A failed commit rejects. */
export class OrderStore {
  readonly uncertain: UncertainStore;

  constructor(
    private readonly database: Database,
    private readonly drafts: Drafts,
    private readonly clock: Clock,
    private readonly spending?: Spending,
  ) {
    this.uncertain = new UncertainStore(database, clock);
  }

  find(id: string): Order | undefined {
    const row = orders.get(this.database, { id });
    return row && orderOf(row);
  }

  byNumber(number: number): Order | undefined {
    const row = orders.get(this.database, { number });
    return row && orderOf(row);
  }

  newest(limit: number): Order[] {
    return orders.all(this.database, {}, { orderBy: ["number desc"], limit }).map(orderOf);
  }

  newestOf(userId: number, limit: number): Order[] {
    return orders
      .all(this.database, { user_id: userId }, { orderBy: ["created_at desc"], limit })
      .map(orderOf);
  }

  /** Finds the result of a person that came to a chat last. `since` is in ms. */
  lastResult(userId: number, chatId: number, since: number): LastResult | undefined {
    const found = this.newestOf(userId, RESULTS_LOOKED_AT).flatMap((order) => {
      const delivery = this.findDelivery(order.id);
      const file = delivery?.files.at(-1);
      const at = delivery?.ended_at ?? delivery?.created_at ?? 0;
      return file && delivery?.chat_id === chatId && at > since ? [{ order, file, at }] : [];
    });
    return found.toSorted((one, other) => other.at - one.at)[0];
  }

  /** Lists the oldest first. */
  inState(state: "claimed" | "accepted"): Order[] {
    return this.database.all(ordersInState, { state }).map(orderOf);
  }

  async setStatusMessage(id: string, messageId: number): Promise<void> {
    const change = { status_message_id: messageId };
    await this.database.write("order-status", (tx) => orders.update(tx, { id }, change));
  }

  /** Tells what was said of the progress of a running order, which a restart neither forgets nor contradicts. */
  progressOf(orderId: string): Reached | undefined {
    return progress.get(this.database, { order_id: orderId });
  }

  async keepProgress(orderId: string, { stage, since }: Reached): Promise<void> {
    await this.database.writeLazily("order-progress", (tx) =>
      progress.save(tx, ["order_id"], { order_id: orderId, stage, since }),
    );
  }

  isUncertain(draftId: number): boolean {
    return orders.get(this.database, { draft_id: draftId, state: "uncertain" }) !== undefined;
  }

  /** True while a paid result has not arrived in this chat. */
  isUnderWay(userId: number, chatId: number): boolean {
    const inChat = { user_id: userId, chat_id: chatId };
    const order = this.database.first(runningInChat, inChat);
    return (order ?? this.database.first(undeliveredInChat, inChat)) !== undefined;
  }

  /**
   * Creates the order of a draft or a further take, once: `undefined` when the draft has changed or is already claimed,
   * or when the number of takes is not what was ordered.
   * @throws LimitExceededError; nothing was changed
   */
  claim(claim: Claim | TakeClaim): Promise<Order | undefined> {
    return this.database.write("of" in claim ? "order-take" : "order-claim", (tx) =>
      this.insertIn(tx, claim),
    );
  }

  takesOf(orderId: string): TakeRow | undefined {
    return takes.get(this.database, { order_id: orderId });
  }

  /** Creates an order in a transaction, as `claim` does. With jobs it is accepted already. */
  insertIn(tx: Transaction, claim: Claim | TakeClaim, jobIds?: readonly JobId[]): Order | undefined {
    const draft = this.#takeDraftIn(tx, claim);
    if (!draft) return undefined;
    this.drafts.rememberIn(tx, draft);
    const row: Omit<OrderRow, "number"> = {
      id: claim.orderId,
      draft_id: draft.id,
      user_id: draft.userId,
      user_name: claim.userName,
      chat_id: draft.chatId,
      thread_id: draft.threadId,
      status_message_id: draft.messageId,
      model_title: claim.modelTitle,
      request: JSON.stringify(claim.request),
      quoted_kopecks: claim.quotedKopecks,
      state: jobIds ? "accepted" : "claimed",
      job_ids: JSON.stringify(jobIds ?? []),
      created_at: this.clock.now(),
    };
    const number = orders.insert(tx, row);
    for (const jobId of jobIds ?? []) orderJobs.insertOnce(tx, { job_id: String(jobId), order_id: row.id });
    const order = orderOf({ ...row, number });
    this.spending?.chargeIn(tx, order);
    return order;
  }

  #takeDraftIn(tx: Transaction, claim: Claim | TakeClaim): Draft | undefined {
    if (!("of" in claim)) return this.drafts.changeIn(tx, claim.draft, { state: "ordered" });
    const { of, number, orderId, draft } = claim;
    // Another number of takes than the person saw was ordered.
    if ((takes.get(tx, { order_id: of.id })?.taken ?? 0) !== number) return undefined;
    takes.save(tx, ["order_id"], { order_id: of.id, taken: number + 1, last_order_id: orderId });
    return this.drafts.insertIn(tx, draft, "ordered");
  }

  /**
   * Continues an order with these jobs, also where it was uncertain whether they are made.
   * @param chargedKopecks undefined where it is not known: then the quote stands
   * @throws JobTakenError when a job belongs to another order; nothing was changed
   */
  accept({ id }: Order, jobIds: readonly JobId[], chargedKopecks?: Kopecks): Promise<Order | undefined> {
    const isUncertain = this.find(id)?.state === "uncertain";
    return this.database.write(isUncertain ? "order-settle" : "order-accept", (tx) => {
      const order = moveOrder(tx, id, "accept");
      return order && this.#continueIn(tx, order, jobIds, chargedKopecks);
    });
  }

  /**
   * Continues an order that was settled as not charged. `newer`: another order has taken its place.
   * @throws JobTakenError when a job belongs to another order; nothing was changed
   */
  takeBack(order: Order, jobIds: readonly JobId[], chargedKopecks: Kopecks) {
    const { id, draftId } = order;
    return this.database.write("order-take-back", (tx): Order | "newer" | undefined => {
      if (!records.get(tx, { order_id: id })) return undefined;
      const own = { id, draft_id: draftId, user_id: order.userId, created_at: order.createdAt };
      if (tx.first(replacementOf, { ...own, model_key: order.request.model_key })) return "newer";
      const moved = moveOrder(tx, id, "take_back_refusal");
      if (!moved) return undefined;
      // A tap on its card would be a second order.
      this.drafts.closeIn(tx, draftId);
      return this.#continueIn(tx, moved, jobIds, chargedKopecks);
    });
  }

  #continueIn(
    tx: Transaction,
    order: Order,
    jobIds: readonly JobId[],
    chargedKopecks: Kopecks | undefined,
  ): Order {
    // Where people share an account no order may have the job, else none of this person.
    const isTaken = ({ user_id }: { user_id: number }) =>
      this.spending !== undefined || user_id === order.userId;
    for (const jobId of jobIds)
      if (tx.all(otherOrders, { job_id: String(jobId), order_id: order.id }).some(isTaken))
        throw new JobTakenError(jobId);
    if (chargedKopecks !== undefined) this.spending?.correctIn(tx, order.id, chargedKopecks);
    records.update(tx, { order_id: order.id }, { person_news: "charged" });
    orders.update(tx, { id: order.id }, { job_ids: JSON.stringify(jobIds) });
    for (const jobId of jobIds) orderJobs.insertOnce(tx, { job_id: String(jobId), order_id: order.id });
    return { ...order, jobIds };
  }

  /**
   * Ends an order that was not charged. Its draft can be edited again: undefined where the person has begun another one in
   * that chat.
   */
  refuse({ id }: Order): Promise<{ draft: Draft | undefined } | undefined> {
    const isUncertain = this.find(id)?.state === "uncertain";
    return this.database.write(isUncertain ? "order-settle" : "order-refuse", (tx) => {
      const order = moveOrder(tx, id, "refuse");
      if (!order) return undefined;
      this.spending?.refundIn(tx, id);
      records.update(tx, { order_id: id }, { person_news: "not_charged" });
      return { draft: this.drafts.reopenIn(tx, order.draftId) };
    });
  }

  /** Creates the delivery of an order, due now. `refundedKopecks`: what the service gave back for failed jobs. */
  finishJobs({ id }: Order, refundedKopecks = NO_KOPECKS): Promise<Order | undefined> {
    return this.database.write("order-finish", (tx) => {
      const order = moveOrder(tx, id, "finish_jobs");
      if (!order) return undefined;
      this.spending?.refundIn(tx, id, refundedKopecks);
      const { userId: user_id, chatId: chat_id } = order;
      const created_at = this.clock.now();
      deliveries.insert(tx, {
        order_id: id,
        user_id,
        chat_id,
        state: "pending",
        attempts: 0,
        next_try_at: created_at,
        outcome: null,
        files: "[]",
        originals: "[]",
        upload_failures: "[]",
        created_at,
        ended_at: null,
      });
      return order;
    });
  }

  findDelivery(orderId: string): Delivery | undefined {
    const row = deliveries.get(this.database, { order_id: orderId });
    return row && deliveryOf(row);
  }

  /** Lists the oldest first. */
  deliveriesInState(state: "pending" | "parked"): Delivery[] {
    return this.database.all(deliveriesInState, { state }).map(deliveryOf);
  }

  /** Counts a failed attempt. `nextTryAt` is in ms. */
  postpone(orderId: string, nextTryAt: Integer, outcome: string): Promise<Delivery | undefined> {
    return this.database.write("delivery-postpone", (tx) =>
      this.#moveDelivery(tx, orderId, "postpone", ({ attempts }) => ({
        attempts: attempts + 1,
        next_try_at: nextTryAt,
        outcome,
      })),
    );
  }

  park(orderId: string, outcome: string): Promise<Delivery | undefined> {
    return this.database.write("delivery-park", (tx) =>
      this.#moveDelivery(tx, orderId, "park", () => ({ outcome })),
    );
  }

  /** Makes the person's parked deliveries due now. Resolves to their order ids. */
  unpark(userId: number): Promise<string[]> {
    const next_try_at = this.clock.now();
    return this.database.write("delivery-unpark", (tx) => {
      const orderIds = tx.all(parkedOfUser, { user_id: userId }).map(({ order_id }) => order_id);
      return orderIds.filter((id) => this.#moveDelivery(tx, id, "unpark", () => ({ next_try_at })));
    });
  }

  /** Closes the order and enqueues its final status. `isDone`: something was made. `sent`: as in `saveFiles`. */
  endDelivery(
    orderId: string,
    state: "sent" | "failed" | "expired",
    outcome: string,
    isDone: boolean,
    sent?: { files: readonly SentFile[]; chatId: number },
  ): Promise<Delivery | undefined> {
    const ended_at = this.clock.now();
    return this.database.write("delivery-end", (tx) => {
      const delivery = this.#moveDelivery(tx, orderId, `end_${state}`, () => ({ outcome, ended_at }));
      if (!delivery) return undefined;
      if (sent) this.#keepFiles(tx, orderId, sent.files, sent.chatId);
      moveOrder(tx, orderId, "close");
      finalStatuses.insertOnce(tx, { order_id: orderId, is_done: isDone ? 1 : 0 });
      if (state === "expired")
        offers.save(tx, ["order_id"], { order_id: orderId, user_id: delivery.user_id, offered_at: null });
      return delivery;
    });
  }

  /** Saves what was sent. `chatId`: the chat that the new ones of `files` were sent to. */
  async saveFiles(orderId: string, files: readonly SentFile[], chatId: number): Promise<void> {
    await this.database.write("delivery-files", (tx) => this.#keepFiles(tx, orderId, files, chatId));
  }

  #keepFiles(tx: Transaction, orderId: string, files: readonly SentFile[], chatId: number): void {
    const before = deliveries.get(tx, { order_id: orderId });
    const known = before ? deliveryOf(before).files.length : 0;
    deliveries.update(tx, { order_id: orderId }, { files: JSON.stringify(files) });
    this.#rememberMessages(tx, orderId, files.slice(known), chatId);
  }

  /** Saves the originals that were sent. `chatId`: the chat that the last one was sent to. */
  async saveOriginals(orderId: string, originals: readonly SentFile[], chatId: number): Promise<void> {
    const change = { originals: JSON.stringify(originals) };
    await this.database.write("delivery-originals", (tx) => {
      deliveries.update(tx, { order_id: orderId }, change);
      this.#rememberMessages(tx, orderId, originals.slice(-1), chatId);
    });
  }

  resultIn(chatId: number, messageId: number): (ResultRef & { orderId: string }) | undefined {
    const row = deliveredMessages.get(this.database, { chat_id: chatId, message_id: messageId });
    return row && { orderId: row.order_id, index: row.job_index, track: row.track };
  }

  async saveUploadFailures(orderId: string, failures: readonly UploadFailures[]): Promise<void> {
    const change = { upload_failures: JSON.stringify(failures) };
    await this.database.write("delivery-upload-failures", (tx) =>
      deliveries.update(tx, { order_id: orderId }, change),
    );
  }

  /** Redirects the remaining files, after a group has migrated or refused the bot. */
  async moveDelivery(orderId: string, chatId: number): Promise<void> {
    await this.database.write("delivery-move", (tx) =>
      deliveries.update(tx, { order_id: orderId }, { chat_id: chatId }),
    );
  }

  /** Tells whether the delivery has expired. Stays true after it is reopened. */
  hasExpired(orderId: string): boolean {
    return offers.get(this.database, { order_id: orderId }) !== undefined;
  }

  dueOffers(userId: number): string[] {
    const due = offers.all(this.database, { user_id: userId, offered_at: null }, { orderBy: ["order_id"] });
    return due.map(({ order_id }) => order_id);
  }

  async markOffered(orderIds: readonly string[]): Promise<void> {
    const offered_at = this.clock.now();
    await this.database.write("delivery-offer", (tx) => {
      for (const order_id of orderIds) offers.update(tx, { order_id }, { offered_at });
    });
  }

  /** Makes expired deliveries due now, with zero attempts. Resolves to their order ids, oldest first. */
  reopenExpired(userId: number): Promise<string[]> {
    const now = this.clock.now();
    const outcome = "its person asked for it";
    const fresh = { attempts: 0, next_try_at: now, outcome, created_at: now, ended_at: null };
    return this.database.write("delivery-reopen", (tx) => {
      const orderIds = tx.all(expiredOfUser, { user_id: userId }).map(({ order_id }) => order_id);
      return orderIds.filter((id) => {
        moveOrder(tx, id, "reopen");
        offers.update(tx, { order_id: id }, { offered_at: now });
        return this.#moveDelivery(tx, id, "reopen", () => ({ ...fresh, upload_failures: "[]" }));
      });
    });
  }

  pendingFinalStatuses(): FinalStatusRow[] {
    return finalStatuses.all(this.database, {});
  }

  async finalStatusShown(orderId: string): Promise<void> {
    await this.database.writeLazily("final-status", (tx) => {
      finalStatuses.delete(tx, { order_id: orderId });
      progress.delete(tx, { order_id: orderId });
    });
  }

  #rememberMessages(tx: Transaction, orderId: string, files: readonly SentFile[], chatId: number): void {
    for (const { messageId: message_id, index: job_index, track } of files)
      deliveredMessages.insertOnce(tx, {
        chat_id: chatId,
        message_id,
        order_id: orderId,
        job_index,
        track,
      });
  }

  #moveDelivery(
    tx: Transaction,
    id: string,
    move: keyof typeof DELIVERY_MOVES,
    changeOf: (row: DeliveryRow) => Partial<DeliveryRow>,
  ): Delivery | undefined {
    const row = deliveries.get(tx, { order_id: id });
    const states: Move<DeliveryState> = DELIVERY_MOVES[move];
    const state = row && states[row.state];
    if (!state) return undefined;
    const change = { ...changeOf(row), state };
    deliveries.update(tx, { order_id: id }, change);
    return deliveryOf({ ...row, ...change });
  }
}

/** Finds the message of a chat that shows the result of a person's job. Undefined where it came to another chat. */
export function resultMessageOf(
  database: Database,
  jobId: JobId,
  { userId, chatId }: { userId: number; chatId: number },
): number | undefined {
  // Jobs of several accounts elsewhere may have one id.
  for (const { order_id } of orderJobs.all(database, { job_id: String(jobId) })) {
    const order = orders.get(database, { id: order_id });
    const delivery = deliveries.get(database, { order_id });
    if (order?.user_id !== userId || delivery?.chat_id !== chatId) continue;
    const index = orderOf(order).jobIds.findIndex((one) => String(one) === String(jobId));
    return deliveryOf(delivery).files.find((file) => file.index === index)?.messageId;
  }
  return undefined;
}
