import { NOT_CONNECTED } from "../../../ports/gateway.js";
import { userOf } from "../store/order.js";
import type { UncertainOrder } from "../store/uncertain-order.js";
import { costOfJobs, type JobFault, readJobIds } from "./check-jobs.js";
import { tellAdmin } from "./tell-admin.js";
import { tellPerson } from "./tell-person.js";
import type { UncertainParts } from "./uncertain-parts.js";

/** The most open orders that a start announces. `/orders` shows all. */
const ANNOUNCED_AT_START = 100;

/** `not_uncertain`: another admin, or an earlier tap, has settled it. */
export type Settlement = { kind: "settled" | "not_uncertain" } | ({ kind: "fault" } & JobFault);

/** Tells people and admins of orders of unknown outcome, and settles them as an admin says. */
export class UncertainOrders {
  readonly #parts: UncertainParts;

  constructor(parts: UncertainParts) {
    this.#parts = parts;
  }

  /** Tells what an earlier run did not tell, in the background. `settling`: orders that the spool settles. */
  start(settling: ReadonlySet<string> = new Set()): void {
    void this.#tellRest(settling);
  }

  /** Tells the person now and the admins in the background. Never throws: the next start tells the rest. */
  async announce(orderId: string): Promise<void> {
    const record = this.#parts.orders.uncertain.findByOrder(orderId);
    if (!record) return;
    void this.#tellAdmins(record);
    await tellPerson(record, this.#parts);
  }

  /** Continues the order with the jobs that `text` names, also where it was settled as not charged. */
  async settleCharged({ order }: UncertainOrder, text: string, adminId: number): Promise<Settlement> {
    const { gateways, orders, logger, onAccepted, stopRepeats } = this.#parts;
    const jobIds = readJobIds(text, order);
    if ("fault" in jobIds) return { kind: "fault", ...jobIds };
    const gateway = await gateways.ofOrder(order.id, userOf(order));
    if (gateway === NOT_CONNECTED) return { kind: "fault", fault: "no_key", word: jobIds.join(", ") };
    const cost = await costOfJobs(jobIds, order, gateway, logger);
    if (typeof cost !== "number") return { kind: "fault", ...cost };
    const isRefused = orders.find(order.id)?.state === "refused";
    const { uncertain } = orders;
    const outcome = isRefused
      ? await uncertain.takeBack(order, jobIds, cost)
      : await uncertain.settleCharged(order, jobIds, cost);
    if (outcome.kind === "taken") return { kind: "fault", fault: "taken", word: String(outcome.jobId) };
    if (outcome.kind === "newer") return { kind: "fault", fault: "newer", word: jobIds.join(", ") };
    if (outcome.kind === "not_uncertain") return { kind: "not_uncertain" };
    stopRepeats(order.id);
    const ids = { order_id: order.id, user_id: order.userId, admin_id: adminId, job_ids: jobIds };
    logger.info({ ...ids, outcome: "charged" }, "uncertain order settled");
    onAccepted(outcome.order);
    await this.announce(order.id);
    return { kind: "settled" };
  }

  /** Refuses the order. Its person may try again. */
  async settleNotCharged({ order }: UncertainOrder, adminId: number): Promise<Settlement> {
    const { orders, logger, stopRepeats } = this.#parts;
    const refused = await orders.uncertain.settleNotCharged(order);
    if (!refused) return { kind: "not_uncertain" };
    stopRepeats(order.id);
    const ids = { order_id: order.id, user_id: order.userId, admin_id: adminId };
    logger.info({ ...ids, outcome: "not_charged" }, "uncertain order settled");
    await this.announce(order.id);
    return { kind: "settled" };
  }

  async #tellRest(settling: ReadonlySet<string>): Promise<void> {
    const { uncertain } = this.#parts.orders;
    // Both are read at once: what becomes uncertain from now on is announced then.
    const withNews = uncertain.withNews().filter((id) => !settling.has(id));
    const open = uncertain.open(0, ANNOUNCED_AT_START).filter(({ order }) => !settling.has(order.id));
    for (const orderId of withNews) {
      const record = uncertain.findByOrder(orderId);
      if (record) await tellPerson(record, this.#parts);
    }
    for (const { number } of open) {
      const record = uncertain.find(number);
      if (record) await this.#tellAdmins(record);
    }
  }

  async #tellAdmins(record: UncertainOrder): Promise<void> {
    if (record.order.state !== "uncertain") return;
    await this.#tellEventChat(record);
    for (const adminId of this.#parts.adminIds)
      if (!record.toldAdminIds.includes(adminId)) await tellAdmin(record, adminId, this.#parts);
  }
  /** Tells the event chat once: its id stands among those of the admins who were told. */
  async #tellEventChat({ order, number, toldAdminIds }: UncertainOrder): Promise<void> {
    const { eventsChat, notices, orders, logger } = this.#parts;
    if (!eventsChat || toldAdminIds.includes(eventsChat.chatId)) return;
    notices.tell({ kind: "order_uncertain", number, model: order.modelTitle });
    await orders.uncertain.adminTold(order.id, eventsChat.chatId).catch((error: unknown) => {
      logger.warn({ order_id: order.id, err: error }, "event chat may be told twice of an uncertain order");
    });
  }
}
