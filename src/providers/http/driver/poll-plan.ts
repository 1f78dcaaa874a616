import type { ServiceSettings } from "../../../mapping/service-settings.js";
import { Ages } from "../../../platform/ages.js";
import type { Clock } from "../../../platform/clock.js";
import type { Integer } from "../../../platform/integer.js";
import type { Attempt } from "./attempt.js";
import { type PollLoad, pollSteps, taskPauseMs } from "./poll-schedule.js";
import type { Runs } from "./run.js";

export class PollPlan {
  readonly #settings: ServiceSettings;
  readonly #runs: Pick<Runs, "countAccepted">;
  readonly #ages: Ages;

  constructor(settings: ServiceSettings, runs: Pick<Runs, "countAccepted">, clock: Clock) {
    this.#settings = settings;
    this.#runs = runs;
    this.#ages = new Ages(clock);
  }

  /** Computes the pause from the acceptance to the first poll. Submits have spread them. */
  firstPauseMs({ operation }: Pick<Attempt, "operation">): Integer {
    return taskPauseMs(pollSteps(operation, this.#settings), 0, this.#load, () => 0);
  }

  /** Computes the pause after a poll that decided nothing. */
  pauseMs(attempt: Attempt): Integer {
    return taskPauseMs(pollSteps(attempt.operation, this.#settings), this.ageMs(attempt), this.#load);
  }

  /** Returns the age since the acceptance. From the first call on, best made then, no step of the clock changes it. */
  ageMs({ id, acceptedAt, plannedAt }: Attempt): number {
    return this.#ages.of(String(id), acceptedAt ?? plannedAt);
  }

  get #load(): PollLoad {
    const { polls_per_sec: perSec } = this.#settings;
    return { inFlight: perSec === undefined ? 0 : this.#runs.countAccepted(), perSec };
  }
}
