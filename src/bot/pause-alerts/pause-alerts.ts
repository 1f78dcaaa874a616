import type { Api } from "grammy";
import type { Database } from "../../database/database.js";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { repeat } from "../../platform/retry.js";
import type { PauseReason } from "../../ports/provider.js";
import type { Service } from "../../ports/service.js";
import type { Language } from "../texts.js";
import { type ToldPause, ToldPauses } from "./told-pause-table.js";

export const LOOK_INTERVAL_MS = 5000;
/** Before an admin who could not be reached is tried again. */
export const TRY_AGAIN_MS = 10 * 60_000;

export interface PauseAlertsOptions {
  api: Pick<Api, "sendMessage">;
  database: Database;
  upstreams: Service["upstreams"];
  adminIds: ReadonlySet<number>;
  languageOf: (userId: number) => Language;
  clock: Clock;
  logger: Logger;
}

/** `reason` is undefined for the end of a pause. */
interface Alert extends ToldPause {
  reason: PauseReason | undefined;
}

/**
 * Tells each admin once that a service takes nothing, and once that it works again. What was told is kept in
 * rows, so that a restart repeats nothing and misses nothing.
 */
export class PauseAlerts {
  readonly #options: PauseAlertsOptions;
  readonly #told: ToldPauses;
  readonly #notBefore = new Map<number, number>();
  #looking: Promise<void> | undefined;
  #isStopped = false;
  #cancel: CancelTimer = () => {};

  constructor(options: PauseAlertsOptions) {
    this.#options = options;
    this.#told = new ToldPauses(options.database);
  }

  start(): void {
    this.#cancel = repeat(this.#options.clock, LOOK_INTERVAL_MS, () => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#looking;
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const { logger, clock } = this.#options;
    try {
      for (const alert of this.#due()) {
        if (this.#isStopped) return;
        if (clock.now() >= (this.#notBefore.get(alert.admin_id) ?? 0)) await this.#tell(alert);
      }
    } catch (error) {
      logger.warn({ err: error }, "pauses not told to admins");
    }
  }

  /** What admins have not been told yet. */
  #due(): Alert[] {
    const told = this.#told.all();
    const alerts: Alert[] = [];
    for (const { name: provider, state } of this.#options.upstreams()) {
      const reason = state.kind === "paused" ? state.reason : undefined;
      for (const admin_id of this.#options.adminIds) {
        const isTold = told.some((row) => row.provider === provider && row.admin_id === admin_id);
        if (isTold !== (reason !== undefined)) alerts.push({ admin_id, provider, reason });
      }
    }
    return alerts;
  }

  async #tell({ admin_id, provider, reason }: Alert): Promise<void> {
    const { api, languageOf, clock, logger } = this.#options;
    const { t } = languageOf(admin_id);
    const text = reason
      ? t("provider-paused", { provider, reason: t(`pause-${reason}`) })
      : t("provider-resumed", { provider });
    try {
      await api.sendMessage(admin_id, text);
    } catch (error) {
      this.#notBefore.set(admin_id, clock.now() + TRY_AGAIN_MS);
      return logger.warn({ admin_id, provider, err: error }, "admin not told of a paused provider");
    }
    await (reason ? this.#told.add({ admin_id, provider }) : this.#told.remove({ admin_id, provider }));
  }
}
