import { type Api, GrammyError } from "grammy";
import { sql } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { repeat } from "../../platform/retry.js";
import { SECOND_MS } from "../../platform/units.js";
import type { Admins } from "../../ports/admins.js";
import type { Once } from "../../ports/operator-notices.js";
import type { People } from "../people/people.js";
import { telegramFailure } from "../telegram/failure.js";
import { cutText } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import type { AdminNoticeRow } from "./admin-notice-table.js";
import { type EventNotice, operatorNoticeText } from "./notice-text.js";

/** How often notices are tried again that no admin has: the first admin may not have written to the bot yet. */
export const ADMIN_NOTICES_LOOK_MS = 30 * SECOND_MS;
/** Notices that wait: older ones give way. */
const WAITING_MAX = 100;
const TEXT_LENGTH_MAX = 4000;

const insert = prepare<Omit<AdminNoticeRow, "id">>((p) =>
  qb.insertInto("admin_notice").values({ topic: p.topic, content: p.content, notice: p.notice, at: p.at }),
);
const update = prepare<Omit<AdminNoticeRow, "id">>((p) =>
  qb
    .updateTable("admin_notice")
    .set({ content: p.content, notice: p.notice, at: p.at })
    .where("topic", "=", p.topic),
);
const selectTopic = prepare<{ topic: string }, AdminNoticeRow>((p) =>
  qb.selectFrom("admin_notice").selectAll().where("topic", "=", p.topic),
);
const removeTopic = prepare<{ topic: string }>((p) =>
  qb.deleteFrom("admin_notice").where("topic", "=", p.topic),
);
const selectWaiting = prepare<object, AdminNoticeRow>(() =>
  qb
    .selectFrom("admin_notice")
    .selectAll()
    .where("notice", "is not", null)
    .orderBy("id", "desc")
    .limit(sql.lit(WAITING_MAX)),
);
const removeOne = prepare<{ id: number }>((p) => qb.deleteFrom("admin_notice").where("id", "=", p.id));
const removeBefore = prepare<{ id: number }>((p) =>
  qb
    .deleteFrom("admin_notice")
    .where("id", "<", p.id)
    .where("topic", "is", null)
    .where("notice", "is not", null),
);
/** A notice that was changed meanwhile still waits. */
const markTold = prepare<{ id: number; notice: string }>((p) =>
  qb.updateTable("admin_notice").set({ notice: null }).where("id", "=", p.id).where("notice", "=", p.notice),
);

interface AdminNoticesParts {
  /** Makes single tries. */
  api: Pick<Api, "sendMessage">;
  database: Database;
  adminIds: Admins;
  people: Pick<People, "find">;
  languageOf: (userId: number) => Language;
  clock: Clock;
  logger: Logger;
}

/**
 * Sends notices to each admin, in the own language. A notice is a row until an admin has it: none is lost while nobody
 * can be reached, and a crash repeats at most the one that was being sent.
 */
export class AdminNotices {
  readonly #parts: AdminNoticesParts;
  #cancel: CancelTimer = () => {};
  #looking: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;

  constructor(parts: AdminNoticesParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#cancel = repeat(this.#parts.clock, ADMIN_NOTICES_LOOK_MS, () => this.#wake());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#looking;
  }

  /** Records a notice in a transaction. @returns false for one that was told, or waits, already */
  record(tx: Transaction, notice: EventNotice, at: Integer, once?: Once): boolean {
    const { topic, content, againAfterMs = Number.POSITIVE_INFINITY } = once ?? {};
    const known = topic === undefined ? undefined : tx.first(selectTopic, { topic });
    const age = known ? at - known.at : 0;
    if (known && known.content === content && age >= 0 && age < againAfterMs) return false;
    const row = { topic: topic ?? null, content: content ?? null, notice: JSON.stringify(notice), at };
    if (known) tx.run(update, row);
    else tx.insert(insert, row);
    const waiting = tx.all(selectWaiting, {});
    const oldest = waiting.at(WAITING_MAX - 1);
    if (oldest) tx.run(removeBefore, { id: oldest.id });
    this.#parts.logger.info({ notice }, "operators told");
    tx.afterCommit(() => this.#wake());
    return true;
  }

  /** Forgets what was told once, and tells it no more where no admin has it. */
  async end(topic: string): Promise<void> {
    const { database } = this.#parts;
    await database.write("notice-end", (tx) => void tx.run(removeTopic, { topic }));
  }

  /** Sends a notice that could not be recorded. */
  async sendUnrecorded(notice: EventNotice): Promise<void> {
    await this.#sendToAll(notice, new Set());
  }

  /** Looks now, or again where a look is under way. */
  #wake(): void {
    this.#isWoken = true;
    if (!this.#isStopped) this.#looking ??= this.#look();
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const { database, logger } = this.#parts;
    try {
      while (this.#isWoken && !this.#isStopped) {
        this.#isWoken = false;
        await this.#sendWaiting(database.all(selectWaiting, {}).reverse());
      }
    } catch (error) {
      logger.warn({ err: error }, "admins not told, trying again");
    } finally {
      this.#looking = undefined;
    }
  }

  async #sendWaiting(rows: readonly AdminNoticeRow[]): Promise<void> {
    const { database } = this.#parts;
    const unreachable = new Set<number>();
    for (const { id, topic, notice } of rows) {
      if (this.#isStopped || notice === null) return;
      if (!(await this.#sendToAll(JSON.parse(notice) as EventNotice, unreachable))) continue;
      await database.write("notice-told", (tx) => {
        if (topic === null) tx.run(removeOne, { id });
        else tx.run(markTold, { id, notice });
      });
    }
  }

  /** Resolves to true when an admin has it, or nobody can. Who cannot be reached is added to `unreachable`, and left alone. */
  async #sendToAll(notice: EventNotice, unreachable: Set<number>): Promise<boolean> {
    const reachable = [...this.#parts.adminIds].filter((id) => !unreachable.has(id));
    const ends = await Promise.all(reachable.map((adminId) => this.#send(adminId, notice)));
    for (const [index, end] of ends.entries()) {
      const adminId = reachable[index];
      if (end === "later" && adminId !== undefined) unreachable.add(adminId);
    }
    return ends.includes("told") || (ends.length > 0 && ends.every((end) => end === "never"));
  }

  /** A notice that cannot be worded, or that Telegram does not take, must hold up no other. */
  async #send(adminId: number, notice: EventNotice): Promise<"told" | "later" | "never"> {
    const { api, people, languageOf, logger } = this.#parts;
    let isWorded = false;
    try {
      const text = cutText(operatorNoticeText(notice, languageOf(adminId), people), TEXT_LENGTH_MAX);
      isWorded = true;
      await api.sendMessage(adminId, text);
      return "told";
    } catch (error) {
      const isRefused = error instanceof GrammyError && telegramFailure(error).kind === "refused";
      logger.warn({ admin_id: adminId, notice, err: error }, "admin not told");
      return isWorded && !isRefused ? "later" : "never";
    }
  }
}
