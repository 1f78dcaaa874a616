import type { Database } from "../../database/database.js";
import type { Rates } from "../../mapping/service-settings.js";
import type { Clock } from "../../platform/clock.js";
import type { AttemptState } from "../../ports/attempt-states.js";
import { type Margin, marginOf } from "../margins/margin-report.js";
import { sumMoney } from "../margins/money-totals.js";
import {
  type AttemptRecord,
  attemptRecords,
  inFlightAt,
  type StateRecord,
  stateOf,
} from "./upstream-store.js";

const DAY_MS = 24 * 3600 * 1000;

export interface UpstreamRecord {
  name: string;
  inFlight: number;
  /** Undefined while it is up. */
  state: StateRecord | undefined;
}

/** Shows upstream services to the operator. Runs in a second process, beside the service. */
export interface UpstreamAdmin {
  upstreams(names: readonly string[]): UpstreamRecord[];
  /** Ends the pause and waits for the service to take tasks. Idempotent. @returns false when it has not confirmed in time */
  resume(name: string): Promise<boolean>;
  /** Returns the newest first. */
  attempts(state: AttemptState | undefined): AttemptRecord[];
  /** Computes margins. @param days of jobs that were accepted in them; all jobs by default */
  margins(rates: Rates, days: number | undefined): Promise<Margin[]>;
}

export function createUpstreamAdmin({
  database,
  clock,
  resume,
}: {
  database: Database;
  clock: Clock;
  resume: (database: Database, name: string) => Promise<boolean>;
}): UpstreamAdmin {
  return {
    upstreams: (names) =>
      names.map((name) => ({
        name,
        inFlight: inFlightAt(database, name),
        state: stateOf(database, name),
      })),
    resume: (name) => resume(database, name),
    attempts: (state) => attemptRecords(database, state),
    async margins(rates, days) {
      const since = days === undefined ? 0 : clock.now() - days * DAY_MS;
      return (await sumMoney(database, since)).all().map((sum) => marginOf(sum, rates));
    },
  };
}
