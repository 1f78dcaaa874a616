import { type Api, GrammyError } from "grammy";
import type { Generated, Selectable } from "kysely";
import type { Admins } from "../../accounts/admin-store.js";
import { asKopecks } from "../../contract/price.js";
import type { Reads, Transaction } from "../../database/database.js";
import type { Ground } from "../../database/ground.js";
import { lessThan, not, table } from "../../database/table.js";
import { type Figures, marginIn } from "../../jobs/margin-report.js";
import type { Period } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import { Recurring } from "../../platform/retry.js";
import { MINUTE_MS, SECOND_MS } from "../../platform/units.js";
import { type DailyTime, dayAfter, dayInZone, instantOf } from "../../platform/zoned-time.js";
import type { Once } from "../../ports/operator-notices.js";
import { type MoneyIn, readMoneyIn } from "../../tills/payment-book.js";
import type { BotGround } from "../bot-ground.js";
import { readOrderFigures } from "../orders/order-figures.js";
import { countPeople, type People } from "../people/people.js";
import { telegramFailure } from "../telegram/failure.js";
import { cutText } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import { EventChat } from "./event-chat.js";
import { NEWS_KINDS } from "./event-store.js";
import { type DailyReport, type DayFigures, type EventNotice, operatorNoticeText } from "./notice-text.js";

const LOOK_MS = MINUTE_MS;
const MODELS_TOLD = 5;
const WEEK_DAYS = 7;

/** Days whose report was made: each has one at most. */
interface DailyReportTable {
  day: string;
  made_at: Integer;
}

const reports = table("daily_report");

interface DailyReports {
  at: DailyTime;
  /** Sums what was ordered in each period. */
  figures: (periods: readonly Period[]) => Promise<readonly Figures[]>;
  isElsewhere: boolean;
  /** Sums what came to balances; null where they are elsewhere. */
  moneyIn: (period: Period) => Promise<MoneyIn | null>;
  newPeople: (period: Period) => Promise<number>;
  /** Records it for whom it is, in the transaction that takes the day. */
  record: (tx: Transaction, notice: EventNotice, at: Integer) => void;
}

/** Reports each day once, at its time or, after a downtime, later on the same day. A day of before the first is not told. */
export function dailyReporter(
  { database, clock, logger }: Pick<Ground, "database" | "clock" | "logger">,
  of: DailyReports,
): Recurring {
  const { at, record } = of;
  return new Recurring({
    clock,
    everyMs: LOOK_MS,
    async work() {
      const now = clock.now();
      const day = dayInZone(now, at.zone);
      if (now < instantOf(day, at) || reports.get(database, { day })) return;
      const report = await reportOf(day, of);
      const { newPeople, orders, income } = report.now;
      const isTold = reports.get(database, {}) !== undefined || [newPeople, orders, income].some(Boolean);
      await database.write("daily-report", (tx) => {
        const isTaken = reports.insertOnce(tx, { day, made_at: now });
        if (isTaken && isTold) record(tx, { kind: "report", report }, now);
      });
    },
    onFailure: (error) => logger.warn({ err: error }, "no daily report, trying again"),
  });
}

async function reportOf(
  day: string,
  { at, figures, isElsewhere, moneyIn, newPeople }: DailyReports,
): Promise<DailyReport> {
  const periods = [day, dayAfter(day, -WEEK_DAYS)].map((end) => ({
    from: instantOf(dayAfter(end, -1), at),
    until: instantOf(end, at),
  }));
  const sums = await figures(periods);
  const money = await Promise.all(periods.map(moneyIn));
  const people = await Promise.all(periods.map(newPeople));
  const [now, before] = sums.map((of, index): DayFigures => {
    const { buyers, orders, income, refunds, cost } = of;
    const { paid = null, returned = null, gifts, rewards = 0, corrections = 0 } = money[index] ?? {};
    const given = gifts === undefined ? null : asKopecks(gifts + rewards + corrections);
    const newPeople = people[index] ?? 0;
    const ordered = { paid, returned, given, newPeople, buyers, orders, income };
    if (isElsewhere) return { ...ordered, refunds: null, cost: null, margin: null };
    return { ...ordered, refunds, cost, margin: marginIn(of) };
  });
  if (!now || !before) throw new Error("no figures");
  return { day, now, before, models: sums[0]?.models.slice(0, MODELS_TOLD) ?? [], isElsewhere };
}

/** A notice to admins until one of them has it. Those that are told once stay as the mark of what was told. */
interface AdminNoticeTable {
  id: Generated<number>;
  topic: string | null;
  content: string | null;
  /** JSON of `EventNotice`; null once an admin has it. */
  notice: string | null;
  /** Milliseconds since the epoch. */
  at: Integer;
}
type AdminNoticeRow = Selectable<AdminNoticeTable>;

declare module "../../database/prepared.js" {
  interface Schema {
    daily_report: DailyReportTable;
    admin_notice: AdminNoticeTable;
  }
}

/** How often notices are tried again that no admin has: the first admin may not have written to the bot yet. */
export const ADMIN_NOTICES_LOOK_MS = 30 * SECOND_MS;
/** Notices that wait: older ones give way. */
const WAITING_MAX = 100;
const TEXT_LENGTH_MAX = 4000;

const rows = table("admin_notice");

/** Returns the newest notices that wait, the newest first. */
function newestWaiting(source: Reads): AdminNoticeRow[] {
  return rows.all(source, { notice: not(null) }, { orderBy: ["id desc"], limit: WAITING_MAX });
}

/**
 * Sends notices to each admin, in the own language. A notice is a row until an admin has it: none is lost while nobody
 * can be reached, and a crash repeats at most the one that was being sent.
 */
export class AdminNotices {
  readonly looks: Recurring;

  /** @param api makes single tries */
  constructor(
    private readonly ground: Ground,
    private readonly api: Pick<Api, "sendMessage">,
    private readonly adminIds: Admins,
    private readonly people: Pick<People, "find">,
    private readonly languageOf: (userId: number) => Language,
  ) {
    const { clock, database, logger } = ground;
    this.looks = new Recurring({
      clock,
      everyMs: ADMIN_NOTICES_LOOK_MS,
      work: (signal) => this.#sendWaiting(newestWaiting(database).reverse(), signal),
      onFailure: (error) => logger.warn({ err: error }, "admins not told, trying again"),
    });
  }

  /** Records a notice in a transaction. @returns false for one that was told, or waits, already */
  record(tx: Transaction, notice: EventNotice, at: Integer, once?: Once): boolean {
    const { topic, content, againAfterMs = Number.POSITIVE_INFINITY } = once ?? {};
    const known = topic === undefined ? undefined : rows.get(tx, { topic });
    const age = known ? at - known.at : 0;
    if (known && known.content === content && age >= 0 && age < againAfterMs) return false;
    const told = { content: content ?? null, notice: JSON.stringify(notice), at };
    if (known) rows.update(tx, { topic: known.topic }, told);
    else rows.insert(tx, { topic: topic ?? null, ...told });
    const oldest = newestWaiting(tx).at(WAITING_MAX - 1);
    if (oldest) rows.delete(tx, { id: lessThan(oldest.id), topic: null, notice: not(null) });
    this.ground.logger.info({ notice }, "operators told");
    tx.afterCommit(() => void this.looks.wake());
    return true;
  }

  /** Forgets what was told once, and tells it no more where no admin has it. */
  async end(topic: string): Promise<void> {
    const { database } = this.ground;
    await database.write("notice-end", (tx) => void rows.delete(tx, { topic }));
  }

  async #sendWaiting(waiting: readonly AdminNoticeRow[], signal: AbortSignal): Promise<void> {
    const { database } = this.ground;
    const unreachable = new Set<number>();
    for (const { id, topic, notice } of waiting) {
      if (signal.aborted || notice === null) return;
      if (!(await this.sendToAll(JSON.parse(notice) as EventNotice, unreachable))) continue;
      await database.write("notice-told", (tx) => {
        if (topic === null) rows.delete(tx, { id });
        // A notice that was changed meanwhile still waits.
        else rows.update(tx, { id, notice }, { notice: null });
      });
    }
  }

  /** Resolves to true when an admin has it, or nobody can. Who cannot be reached is added to `unreachable`, and left alone. */
  async sendToAll(notice: EventNotice, unreachable = new Set<number>()): Promise<boolean> {
    const reachable = [...this.adminIds].filter((id) => !unreachable.has(id));
    const ends = await Promise.all(
      reachable.map(async (adminId) => {
        const end = await this.#send(adminId, notice);
        if (end === "later") unreachable.add(adminId);
        return end;
      }),
    );
    return ends.includes("told") || (ends.length > 0 && ends.every((end) => end === "never"));
  }

  /** A notice that cannot be worded, or that Telegram does not take, must hold up no other. */
  async #send(adminId: number, notice: EventNotice): Promise<"told" | "later" | "never"> {
    const { logger } = this.ground;
    let isWorded = false;
    try {
      const text = operatorNoticeText(notice, this.languageOf(adminId), this.people);
      isWorded = true;
      await this.api.sendMessage(adminId, cutText(text, TEXT_LENGTH_MAX));
      return "told";
    } catch (error) {
      const isRefused = error instanceof GrammyError && telegramFailure(error).kind === "refused";
      logger.warn({ admin_id: adminId, notice, err: error }, "admin not told");
      return isWorded && !isRefused ? "later" : "never";
    }
  }
}

/** Kinds that only the event chat is told: there may be many, or admins have a message of their own. */
const FOR_CHAT_ALONE: ReadonlySet<EventNotice["kind"]> = new Set([
  ...NEWS_KINDS,
  "provider_away",
  "provider_back",
  "order_uncertain",
]);

/** Delivers notices and reports to the admins and the event chat. Returns what has to be started for it. */
export function deliverNotices(bot: BotGround): Recurring[] {
  const { database, clock, logger, notices, events, people, adminIds, eventsChat, reportAt } = bot;
  const admins = new AdminNotices(bot, bot.plainApi, adminIds, people, bot.languageOf);
  /** Records a notice for admins, for the event chat, or for both. */
  const record = (
    notice: EventNotice,
    to: { admins: boolean; chat: boolean },
    once?: Once,
    tx?: Transaction,
  ) => {
    const recordIn = (tx: Transaction) => {
      const at = clock.now();
      if (to.admins && !admins.record(tx, notice, at, once)) return;
      if (to.chat) events.record(tx, notice, at);
    };
    if (tx) return recordIn(tx);
    database.write("notice", recordIn).catch(async (error: unknown) => {
      logger.warn({ notice, err: error }, "notice not recorded");
      if (to.admins) await admins.sendToAll(notice);
    });
  };
  const chat =
    eventsChat &&
    new EventChat(bot, eventsChat, () => record({ kind: "events_lost" }, { admins: true, chat: false }));
  notices.deliverBy(
    (notice, once, tx) =>
      record(notice, { admins: !FOR_CHAT_ALONE.has(notice.kind), chat: chat !== undefined }, once, tx),
    (topic) =>
      void admins
        .end(topic)
        .catch((error: unknown) => logger.warn({ topic, err: error }, "notice not ended")),
  );
  const { figures } = bot.service;
  const reporter =
    reportAt &&
    dailyReporter(bot, {
      at: reportAt,
      figures: figures ?? ((periods) => readOrderFigures(database, periods)),
      isElsewhere: figures === undefined,
      moneyIn: async (period) => (figures ? readMoneyIn(database, period) : null),
      newPeople: async (period) => (await countPeople(database, period)).fresh,
      record: (tx, notice, at) => {
        if (chat) events.record(tx, notice, at);
        // A report that no admin has gives way to the next.
        else admins.record(tx, notice, at, { topic: "report", content: String(at) });
      },
    });
  return [admins.looks, ...(chat ? [chat.looks] : []), ...(reporter ? [reporter] : [])];
}
