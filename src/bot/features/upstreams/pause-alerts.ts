import { type Api, GrammyError, InlineKeyboard } from "grammy";
import type { Database } from "../../../database/database.js";
import type { CancelTimer, Clock } from "../../../platform/clock.js";
import type { Logger } from "../../../platform/logger.js";
import { repeat } from "../../../platform/retry.js";
import { HOUR_MS } from "../../../platform/units.js";
import type { Admins } from "../../../ports/admins.js";
import type { OperatorNotices } from "../../../ports/operator-notices.js";
import type { Service, UpstreamStatus } from "../../../ports/service.js";
import { isNothingToEdit } from "../../telegram/failure.js";
import type { ChatPlace } from "../../telegram/place.js";
import type { Language } from "../../texts/texts.js";
import { alertOf, RESUMED, resumedText } from "./alert.js";
import { type ToldPause, ToldPauses } from "./told-pause-table.js";

export const POLL_INTERVAL_MS = 2000;
/** Milliseconds before an admin who could not be reached is tried again. */
export const TRY_AGAIN_MS = 10 * 60_000;
/** Milliseconds within which a service that fails again continues its episode, and its message. */
export const EPISODE_MS = HOUR_MS;

export interface PauseAlertsOptions {
  api: Pick<Api, "sendMessage" | "editMessageText">;
  database: Database;
  upstreams: Service["upstreams"];
  adminIds: Admins;
  languageOf: (userId: number) => Language;
  eventsChat: ChatPlace | undefined;
  notices: OperatorNotices;
  clock: Clock;
  logger: Logger;
}

/**
 * Tells each admin of a service that takes no tasks: one message an episode, whose words are changed to what is
 * so. What was told is kept in rows, so that a restart repeats nothing and misses nothing.
 */
export class PauseAlerts {
  readonly #options: PauseAlertsOptions;
  readonly #told: ToldPauses;
  readonly #notBefore = new Map<number, number>();
  #polling: Promise<void> | undefined;
  #isStopped = false;
  #cancel: CancelTimer = () => {};

  constructor(options: PauseAlertsOptions) {
    this.#options = options;
    this.#told = new ToldPauses(options.database);
  }

  start(): void {
    this.#cancel = repeat(this.#options.clock, POLL_INTERVAL_MS, () => {
      this.#polling ??= this.#poll().finally(() => {
        this.#polling = undefined;
      });
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#polling;
  }

  /** Never rejects. */
  async #poll(): Promise<void> {
    const { upstreams, adminIds, logger, clock } = this.#options;
    try {
      const told = this.#told.all();
      for (const status of upstreams()) {
        await this.#tellEventChat(status, told);
        // Mostly no admin has anything to hear, and none is read.
        if (!alertOf(status, clock.now()) && !told.some((row) => row.provider === status.name)) continue;
        for (const admin_id of adminIds) {
          if (this.#isStopped) return;
          if (clock.monotonic() < (this.#notBefore.get(admin_id) ?? Number.NEGATIVE_INFINITY)) continue;
          const known = told.find((row) => row.provider === status.name && row.admin_id === admin_id);
          await this.#tell(admin_id, status, known);
        }
      }
    } catch (error) {
      logger.warn({ err: error }, "states of services not told to admins");
    }
  }

  async #tell(admin_id: number, status: UpstreamStatus, known: ToldPause | undefined): Promise<void> {
    const now = this.#options.clock.now();
    const language = this.#options.languageOf(admin_id);
    const alert = alertOf(status, now);
    const provider = status.name;
    if (alert) {
      if (known?.shown === alert.shown) return;
      const { text, keyboard } = alert.write(language);
      const told = { admin_id, provider, shown: alert.shown, up_since: null };
      await this.#show(known, told, text, keyboard);
    } else if (known && known.shown !== RESUMED) {
      if (status.state.kind !== "up") return;
      const told = { admin_id, provider, shown: RESUMED, up_since: now };
      await this.#show(known, told, resumedText(provider, language));
    } else if (known && now - (known.up_since ?? now) >= EPISODE_MS) await this.#told.remove(known);
  }

  /** Tells the event chat of the beginning and the end of an episode, whose row has the chat's id. */
  async #tellEventChat(status: UpstreamStatus, all: readonly ToldPause[]): Promise<void> {
    const { eventsChat, notices, clock } = this.#options;
    if (!eventsChat) return;
    const admin_id = eventsChat.chatId;
    const { name: provider, state } = status;
    const now = clock.now();
    const known = all.find((row) => row.provider === provider && row.admin_id === admin_id);
    const row = { admin_id, provider, message_id: null };
    if (state.kind !== "up") {
      const reason = state.kind === "paused" ? state.reason : state.kind;
      if (!alertOf(status, now) || known?.shown === reason) return;
      notices.tell({ kind: "provider_away", provider, reason });
      await this.#told.keep({ ...row, shown: reason, up_since: null });
    } else if (known && known.shown !== RESUMED) {
      notices.tell({ kind: "provider_back", provider });
      await this.#told.keep({ ...row, shown: RESUMED, up_since: now });
    } else if (known && now - (known.up_since ?? now) >= EPISODE_MS) await this.#told.remove(known);
  }

  async #show(
    known: ToldPause | undefined,
    told: Omit<ToldPause, "message_id">,
    text: string,
    keyboard = new InlineKeyboard(),
  ): Promise<void> {
    const { logger, clock } = this.#options;
    const { admin_id, provider } = told;
    try {
      const message_id = await this.#send(admin_id, known?.message_id ?? null, text, keyboard);
      await this.#told.keep({ ...told, message_id });
    } catch (error) {
      this.#notBefore.set(admin_id, clock.monotonic() + TRY_AGAIN_MS);
      logger.warn({ admin_id, provider, err: error }, "admin not told of the state of a service");
    }
  }

  /** Returns the id of the message that says it now: a new one where the old one is gone. */
  async #send(
    admin_id: number,
    known: number | null,
    text: string,
    keyboard: InlineKeyboard,
  ): Promise<number> {
    const { api } = this.#options;
    try {
      if (known !== null) {
        await api.editMessageText(admin_id, known, text, { reply_markup: keyboard });
        return known;
      }
    } catch (error) {
      if (!isNothingToEdit(error)) throw error;
      if (known !== null && error instanceof GrammyError && error.description.includes("not modified"))
        return known;
    }
    return (await api.sendMessage(admin_id, text, { reply_markup: keyboard })).message_id;
  }
}
