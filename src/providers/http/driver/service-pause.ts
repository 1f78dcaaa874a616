import type { CancelTimer, Clock } from "../../../platform/clock.js";
import type { Logger } from "../../../platform/logger.js";
import { backOffMs } from "../../../platform/retry.js";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../platform/units.js";
import type { PauseReason } from "../../../ports/provider.js";
import type { ProbeOutcome } from "../adapter.js";

export interface PauseProbe {
  ask: (reason: PauseReason) => Promise<ProbeOutcome>;
  tells: "balance" | "key" | "account";
}

export interface ServicePauseOptions {
  /** Undefined where an operator alone ends the pause. */
  probe: PauseProbe | undefined;
  clock: Clock;
  logger: Logger;
  onChange: () => void;
}

export interface Pause {
  reason: PauseReason;
  since: number;
  /** Balance of the account when the service refused a task for credit. */
  balance?: number | undefined;
  nextTryAt?: number | undefined;
}

const PROBE_BACK_OFF = { firstMs: 30 * SECOND_MS, maxMs: 10 * MINUTE_MS };
/** Time within which a pause belongs to the one before. */
const EPISODE_MS = HOUR_MS;

/** Knows whether the service takes nothing until somebody acts. In memory: `ServiceState` keeps it. */
export class ServicePause {
  readonly #options: ServicePauseOptions;
  #pause: Pause | undefined;
  #tries = 0;
  #last: { since: number; endedAt: number } | undefined;
  #cancel: CancelTimer = () => {};
  #probing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: ServicePauseOptions) {
    this.#options = options;
  }

  get current(): Pause | undefined {
    return this.#pause;
  }

  /** Does nothing while it is paused for this reason. */
  begin(reason: PauseReason): void {
    if (this.#pause?.reason === reason || this.#isClosed) return;
    const { clock } = this.#options;
    const last = this.#last;
    const isAgain = last !== undefined && clock.monotonic() - last.endedAt < EPISODE_MS;
    if (!isAgain && !this.#pause) this.#tries = 0;
    this.#pause = { reason, since: this.#pause?.since ?? (isAgain ? last.since : clock.now()) };
    this.#schedule();
    this.#options.onChange();
    if (reason === "no_credit") this.#rememberBalance();
  }

  restore(pause: Pause): void {
    this.#pause = pause;
    this.#schedule();
  }

  end(): void {
    if (!this.#pause) return;
    this.#cancel();
    this.#last = { since: this.#pause.since, endedAt: this.#options.clock.monotonic() };
    this.#pause = undefined;
    this.#options.onChange();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#probing;
  }

  #schedule(): void {
    const { probe, clock } = this.#options;
    this.#cancel();
    if (!probe || !this.#pause || this.#isClosed) return;
    const waitMs = backOffMs(this.#tries + 1, PROBE_BACK_OFF);
    const isProof = probe.tells !== "key" || this.#pause.reason === "key_refused";
    this.#pause = { ...this.#pause, nextTryAt: isProof ? clock.now() + waitMs : undefined };
    this.#cancel = clock.after(waitMs, () => {
      this.#probing = this.#probe(probe);
    });
  }

  /** Remembers the balance now, below which the one at the refusal cannot have been. */
  #rememberBalance(): void {
    const { probe } = this.#options;
    if (probe?.tells !== "balance") return;
    this.#probing = probe.ask("no_credit").then((outcome) => {
      const pause = this.#pause;
      if (outcome.kind === "glitch" || outcome.balance === undefined || pause?.reason !== "no_credit") return;
      this.#pause = { ...pause, balance: pause.balance ?? outcome.balance };
      this.#options.onChange();
    });
  }

  async #probe(probe: PauseProbe): Promise<void> {
    const asked = this.#pause;
    if (!asked) return;
    const outcome = await probe.ask(asked.reason);
    const pause = this.#pause;
    if (this.#isClosed || pause?.reason !== asked.reason) return;
    this.#tries += 1;
    if (outcome.kind === "good" && isOver(pause, outcome.balance)) this.end();
    else {
      if (outcome.kind !== "glitch") this.#pause = afterProbe(pause, outcome);
      this.#schedule();
      this.#options.onChange();
    }
  }
}

/** Tells whether the pause is over. Where the earlier balance is not known, one task is tried: its refusal has one. */
function isOver({ reason, balance: before }: Pause, balance: number | undefined): boolean {
  if (reason !== "no_credit" || balance === undefined || before === undefined) return true;
  return balance > before;
}

function afterProbe(pause: Pause, outcome: Exclude<ProbeOutcome, { kind: "glitch" }>): Pause {
  const reason = outcome.kind === "paused" ? outcome.reason : pause.reason;
  const balance = reason === "no_credit" ? (pause.balance ?? outcome.balance) : undefined;
  return { ...pause, reason, balance };
}
