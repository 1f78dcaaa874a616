import type { Transaction } from "../../database/transaction.js";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { repeat } from "../../platform/retry.js";
import { MINUTE_MS } from "../../platform/units.js";
import { type DailyTime, dayAfter, dayInZone, instantOf } from "../../platform/zoned-time.js";
import { type Figures, marginIn, type Period } from "../../ports/figures.js";
import type { EventStore } from "./event-store.js";
import type { EventNotice } from "./notice-text.js";
import type { DailyReport, DayFigures } from "./report-text.js";

const LOOK_MS = MINUTE_MS;
const MODELS_TOLD = 5;
const WEEK_DAYS = 7;

export interface DailyReporterParts {
  at: DailyTime;
  store: EventStore;
  /** Sums what was ordered in each period. */
  figures: (periods: readonly Period[]) => Promise<readonly Figures[]>;
  isElsewhere: boolean;
  newPeople: (period: Period) => Promise<number>;
  /** Records it for whom it is, in the transaction that takes the day. */
  record: (tx: Transaction, notice: EventNotice, at: Integer) => void;
  clock: Clock;
  logger: Logger;
}

/** Reports each day once, at its time or, after a downtime, later on the same day. A day of before the first is not told. */
export class DailyReporter {
  readonly #parts: DailyReporterParts;
  #cancel: CancelTimer = () => {};
  #looking: Promise<void> | undefined;

  constructor(parts: DailyReporterParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#cancel = repeat(this.#parts.clock, LOOK_MS, () => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#looking;
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const { at, store, record, clock, logger } = this.#parts;
    try {
      const now = clock.now();
      const day = dayInZone(now, at.zone);
      if (now < instantOf(day, at) || store.isReported(day)) return;
      const report = await this.#report(day);
      const notice: EventNotice = { kind: "report", report };
      const isTold = store.hasReported() || !isEmpty(report.now);
      await store.takeDay(day, now, (tx) => {
        if (isTold) record(tx, notice, now);
      });
    } catch (error) {
      logger.warn({ err: error }, "no daily report, trying again");
    }
  }

  async #report(day: string): Promise<DailyReport> {
    const { figures, isElsewhere } = this.#parts;
    const periods = [this.#period(day), this.#period(dayAfter(day, -WEEK_DAYS))] as const;
    const [now, before] = await figures(periods);
    if (!now || !before) throw new Error("no figures");
    return {
      day,
      now: await this.#dayFigures(periods[0], now),
      before: await this.#dayFigures(periods[1], before),
      models: now.models.slice(0, MODELS_TOLD),
      isElsewhere,
    };
  }

  #period(day: string): Period {
    const { at } = this.#parts;
    return { from: instantOf(dayAfter(day, -1), at), until: instantOf(day, at) };
  }

  async #dayFigures(period: Period, figures: Figures): Promise<DayFigures> {
    const { isElsewhere, newPeople } = this.#parts;
    const { buyers, orders, income, refunds, cost } = figures;
    const people = { newPeople: await newPeople(period), buyers, orders, income };
    if (isElsewhere) return { ...people, refunds: null, cost: null, margin: null };
    return { ...people, refunds, cost, margin: marginIn(figures) };
  }
}

/** True for a day on which there was nobody yet. */
function isEmpty({ newPeople, orders, income }: DayFigures): boolean {
  return newPeople === 0 && orders === 0 && income === 0;
}
