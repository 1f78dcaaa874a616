import { Composer, GrammyError, InlineKeyboard } from "grammy";
import { table } from "../../database/table.js";
import type { Integer } from "../../platform/integer.js";
import { Recurring } from "../../platform/retry.js";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/units.js";
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
  /** The message. Null for the chat of events, which gets a notice. */
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

/** Encodes the button of admins that resumes a service: `ps:<name>`. */
export const resumeData = buttonData("ps", [matching("provider", /./)]);

/** Milliseconds after which an unreachable service is told of: one that is restarted is not worth a message. */
const UNREACHABLE_FOR_MS = 30 * SECOND_MS;

/** Composes what admins read of a service. Undefined while it is up, or may soon be. */
function alertOf(status: UpstreamStatus, now: number) {
  const { name: provider, state } = status;
  if (state.kind === "up") return undefined;
  if (state.kind === "unreachable" && now - state.since < UNREACHABLE_FOR_MS) return undefined;
  // Counted over the whole catalogue.
  const { off, count } = status.models;
  const reason = state.kind === "paused" ? state.reason : state.kind;
  const isTried = state.kind === "throttled" && state.isTried;
  const triedAt = state.kind === "unreachable" || isTried ? undefined : state.nextTryAt;
  const time = triedAt === undefined ? "" : `${new Date(triedAt).toISOString().slice(11, 16)} UTC`;
  return {
    reason,
    /** The words as a key: the same for the same words. */
    shown: [reason, isTried ? "next" : time, off, count].join(),
    write({ t }: Language) {
      const pause = state.kind === "paused" ? { reason: t(`pause-${state.reason}`) } : {};
      const elsewhere = off === 0 ? "moved" : off === count ? "off" : "some";
      let next = time === "" ? "provider-waits-for-you" : "provider-next-try";
      if (isTried) next = "provider-tries-next";
      if (state.kind === "unreachable") next = "provider-is-checked";
      const lines = [
        t(`provider-${state.kind}`, { provider, ...pause }),
        ...(count > 0 ? [t("provider-models", { elsewhere, off, count })] : []),
        t(next, { time }),
      ];
      const keyboard = new InlineKeyboard();
      if (state.kind !== "unreachable") keyboard.text(t("button-resume"), resumeData.encode({ provider }));
      return { text: lines.join("\n\n"), keyboard };
    },
  };
}
type Alert = NonNullable<ReturnType<typeof alertOf>>;

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
  return { composer };
}

/** Pause between looks while something is to be told, or was told within the hour. */
export const LOOK_MS = 2 * SECOND_MS;
/** Milliseconds before an admin who could not be reached is tried again. */
export const TRY_AGAIN_MS = 10 * 60_000;
/** Milliseconds within which a service that fails again continues its episode, and its message. */
export const EPISODE_MS = HOUR_MS;

/** What was told of a service that is up again. */
const RESUMED = "up";

/**
 * Tells each admin of a service that takes no tasks: one message an episode, whose words are changed to what is
 * so. The event chat is told of its beginning and its end. What was told is kept in rows, the chat's with its id, so that a
 * restart repeats nothing and misses nothing. A row lasts as long as its episode.
 */
export class PauseAlerts {
  readonly looks: Recurring;
  readonly #notBefore = new Map<number, number>();

  constructor(private readonly bot: BotModules) {
    const { clock, database, logger } = bot;
    this.looks = new Recurring({
      clock,
      // A state whose row could not be written wakes nobody.
      everyMs: () => (this.#isQuiet() ? MINUTE_MS : LOOK_MS),
      wokenBy: (wake) => database.watch(["upstream_state"], wake),
      work: (signal) => this.#look(signal),
      onFailure: (error) => logger.warn({ err: error }, "states of services not told to admins"),
    });
  }

  #isQuiet(): boolean {
    const { database, upstreams } = this.bot;
    return upstreams().every(({ state }) => state.kind === "up") && pauses.get(database, {}) === undefined;
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { database, upstreams, adminIds, eventsChat, clock } = this.bot;
    const rows = pauses.all(database, {});
    for (const status of upstreams()) {
      const alert = alertOf(status, clock.now());
      const told = rows.filter(({ provider }) => provider === status.name);
      // Mostly nobody has anything to hear, and no admin is read.
      if (!alert && told.length === 0) continue;
      for (const id of [...(eventsChat ? [eventsChat.chatId] : []), ...adminIds]) {
        if (signal.aborted) return;
        if (clock.monotonic() < (this.#notBefore.get(id) ?? Number.NEGATIVE_INFINITY)) continue;
        const known = told.find(({ admin_id }) => admin_id === id);
        await this.#tell(id, status, alert, known);
      }
    }
  }

  async #tell(
    admin_id: number,
    { name: provider, state }: UpstreamStatus,
    alert: Alert | undefined,
    known: ToldPause | undefined,
  ): Promise<void> {
    const now = this.bot.clock.now();
    const isChat = admin_id === this.bot.eventsChat?.chatId;
    const told = { admin_id, provider };
    if (alert) {
      const shown = isChat ? alert.reason : alert.shown;
      if (known?.shown !== shown) await this.#show({ ...told, shown, up_since: null }, alert, known);
    } else if (known && known.shown !== RESUMED) {
      if (state.kind === "up") await this.#show({ ...told, shown: RESUMED, up_since: now }, alert, known);
    } else if (known && now - (known.up_since ?? now) >= EPISODE_MS) {
      await this.bot.database.write("pause-forgotten", (tx) => pauses.delete(tx, told));
    }
  }

  async #show(
    told: Omit<ToldPause, "message_id">,
    alert: Alert | undefined,
    known: ToldPause | undefined,
  ): Promise<void> {
    const { eventsChat, notices, languageOf, logger, clock } = this.bot;
    const { admin_id, provider } = told;
    if (admin_id === eventsChat?.chatId) {
      notices.tell(
        alert
          ? { kind: "provider_away", provider, reason: alert.reason }
          : { kind: "provider_back", provider },
      );
      return this.#keep({ ...told, message_id: null });
    }
    const language = languageOf(admin_id);
    const { text, keyboard } = alert?.write(language) ?? {
      text: language.t("provider-resumed", { provider }),
      keyboard: new InlineKeyboard(),
    };
    try {
      const message_id = await this.#send(admin_id, known?.message_id ?? null, text, keyboard);
      await this.#keep({ ...told, message_id });
    } catch (error) {
      this.#notBefore.set(admin_id, clock.monotonic() + TRY_AGAIN_MS);
      logger.warn({ admin_id, provider, err: error }, "admin not told of the state of a service");
    }
  }

  async #keep(told: ToldPause): Promise<void> {
    await this.bot.database.write("pause-told", (tx) => pauses.save(tx, ["admin_id", "provider"], told));
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
