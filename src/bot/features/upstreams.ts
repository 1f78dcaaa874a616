import { Composer, GrammyError, InlineKeyboard } from "grammy";
import type { Database } from "../../database/database.js";
import { table } from "../../database/table.js";
import type { Integer } from "../../platform/integer.js";
import { Recurring } from "../../platform/retry.js";
import { HOUR_MS, SECOND_MS } from "../../platform/units.js";
import type { UpstreamStatus } from "../../service/service.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { isAdmin, taps } from "../middleware.js";
import type { BotModules } from "../modules.js";
import { buttonData, matching } from "../telegram/button-data.js";
import { isNothingToEdit } from "../telegram/failure.js";
import { isPrivate } from "../telegram/place.js";
import { answerTap } from "../telegram/tap-answers.js";
import type { Language } from "../texts/texts.js";

interface ToldPause {
  admin_id: number;
  provider: string;
  /** The message. Absent for what an earlier release told. */
  message_id: number | null;
  /** The words of the message, as a key. */
  shown: string;
  /** Milliseconds since the epoch at which the service came back. */
  up_since: Integer | null;
}

declare module "../../database/prepared.js" {
  interface Schema {
    told_pause: ToldPause;
  }
}

const pauses = table("told_pause");

/** Stores what admins were told of services that take no tasks. A row lasts as long as its episode. */
class ToldPauses {
  /** The rows, which nothing else writes. */
  #known: readonly ToldPause[] | undefined;

  constructor(private readonly database: Database) {}

  all(): readonly ToldPause[] {
    this.#known ??= pauses.all(this.database, {});
    return this.#known;
  }

  async keep(told: ToldPause): Promise<void> {
    await this.database.write("pause-told", (tx) => pauses.save(tx, ["admin_id", "provider"], told));
    this.#known = undefined;
  }

  async remove({ admin_id, provider }: ToldPause): Promise<void> {
    await this.database.write("pause-forgotten", (tx) => pauses.delete(tx, { admin_id, provider }));
    this.#known = undefined;
  }
}

/** Encodes the button of admins that resumes a service: `ps:<name>`. */
export const resumeData = buttonData("ps", [matching("provider", /./)]);

interface Alert {
  /** The words as a key: the same for the same words. */
  shown: string;
  write: (language: Language) => { text: string; keyboard: InlineKeyboard };
}

type Away = Exclude<UpstreamStatus["state"], { kind: "up" }>;

/** Milliseconds after which an unreachable service is told of: one that is restarted is not worth a message. */
const UNREACHABLE_FOR_MS = 30 * SECOND_MS;

/** Composes what admins read of a service. Undefined while it is up, or may soon be. */
function alertOf(status: UpstreamStatus, now: number): Alert | undefined {
  const { name, state, models } = status;
  if (state.kind === "up") return undefined;
  if (state.kind === "unreachable" && now - state.since < UNREACHABLE_FOR_MS) return undefined;
  const reason = state.kind === "paused" ? state.reason : state.kind;
  return {
    shown: [reason, tryOf(state), models.off, models.count].join(),
    write: (language) => ({
      text: textOf(name, state, models, language),
      keyboard:
        state.kind === "unreachable"
          ? new InlineKeyboard()
          : new InlineKeyboard().text(language.t("button-resume"), resumeData.encode({ provider: name })),
    }),
  };
}

const RESUMED = "up";

function resumedText(provider: string, { t }: Language): string {
  return t("provider-resumed", { provider });
}

function textOf(provider: string, state: Away, models: UpstreamStatus["models"], { t }: Language): string {
  const what =
    state.kind === "paused"
      ? t("provider-paused", { provider, reason: t(`pause-${state.reason}`) })
      : t(`provider-${state.kind}`, { provider });
  const { count, off } = models;
  const elsewhere = off === 0 ? "moved" : off === count ? "off" : "some";
  return [
    what,
    ...(count > 0 ? [t("provider-models", { elsewhere, off, count })] : []),
    tryText(state, t),
  ].join("\n\n");
}

/** Returns the key of what `tryText` says. */
function tryOf(state: Away): string {
  return state.kind === "throttled" && state.isTried ? "next" : (nextTryOf(state) ?? "");
}

function tryText(state: Away, t: Language["t"]): string {
  if (state.kind === "unreachable") return t("provider-is-checked");
  if (state.kind === "throttled" && state.isTried) return t("provider-tries-next");
  const nextTry = nextTryOf(state);
  return nextTry === undefined ? t("provider-waits-for-you") : t("provider-next-try", { time: nextTry });
}

/** Formats the next try as `14:05 UTC`. */
function nextTryOf(state: Away): string | undefined {
  if (state.kind === "unreachable" || state.nextTryAt === undefined) return undefined;
  return `${new Date(state.nextTryAt).toISOString().slice(11, 16)} UTC`;
}

/** Handles the button ▶️ under what admins are told of a service that takes no tasks. */
export function upstreamsFeature({ upstreams, adminIds }: BotModules): Feature {
  const composer = new Composer<BotContext>();
  composer.filter(isAdmin(adminIds)).use(
    taps(resumeData, async (ctx, { provider }, next) => {
      const found = upstreams().find(({ name }) => name === provider);
      if (!found || !isPrivate(ctx)) return next();
      const isAway = found.state.kind !== "up";
      if (isAway) found.resume();
      await answerTap(ctx, ctx.language.t(isAway ? "provider-resuming" : "provider-is-up"));
    }),
  );
  return { name: "upstreams", callbackPrefixes: [resumeData.prefix], composer };
}

export const POLL_INTERVAL_MS = 2000;
/** Milliseconds before an admin who could not be reached is tried again. */
export const TRY_AGAIN_MS = 10 * 60_000;
/** Milliseconds within which a service that fails again continues its episode, and its message. */
export const EPISODE_MS = HOUR_MS;

/**
 * Tells each admin of a service that takes no tasks: one message an episode, whose words are changed to what is
 * so. What was told is kept in rows, so that a restart repeats nothing and misses nothing.
 */
export class PauseAlerts {
  readonly #told: ToldPauses;
  readonly #notBefore = new Map<number, number>();
  readonly #looks: Recurring;

  constructor(private readonly bot: BotModules) {
    const { clock, logger } = bot;
    this.#told = new ToldPauses(bot.database);
    this.#looks = new Recurring({
      clock,
      everyMs: POLL_INTERVAL_MS,
      work: (signal) => this.#look(signal),
      onFailure: (error) => logger.warn({ err: error }, "states of services not told to admins"),
    });
  }

  start(): void {
    this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { upstreams, adminIds, clock } = this.bot;
    const told = this.#told.all();
    for (const status of upstreams()) {
      await this.#tellEventChat(status, told);
      // Mostly no admin has anything to hear, and none is read.
      if (!alertOf(status, clock.now()) && !told.some((row) => row.provider === status.name)) continue;
      for (const admin_id of adminIds) {
        if (signal.aborted) return;
        if (clock.monotonic() < (this.#notBefore.get(admin_id) ?? Number.NEGATIVE_INFINITY)) continue;
        const known = told.find((row) => row.provider === status.name && row.admin_id === admin_id);
        await this.#tell(admin_id, status, known);
      }
    }
  }

  async #tell(admin_id: number, status: UpstreamStatus, known: ToldPause | undefined): Promise<void> {
    const now = this.bot.clock.now();
    const language = this.bot.languageOf(admin_id);
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
    const { eventsChat, notices, clock } = this.bot;
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
    const { logger, clock } = this.bot;
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
    const { plainApi } = this.bot;
    try {
      if (known !== null) {
        await plainApi.editMessageText(admin_id, known, text, { reply_markup: keyboard });
        return known;
      }
    } catch (error) {
      if (!isNothingToEdit(error)) throw error;
      if (known !== null && error instanceof GrammyError && error.description.includes("not modified"))
        return known;
    }
    return (await plainApi.sendMessage(admin_id, text, { reply_markup: keyboard })).message_id;
  }
}
