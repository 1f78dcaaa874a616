import { type CommandContext, Composer, type MiddlewareFn } from "grammy";
import { BoundedMap } from "../../platform/bounded-map.js";
import type { Clock } from "../../platform/clock.js";
import { isSameSecret } from "../../platform/ids.js";
import { HOUR_MS } from "../../platform/units.js";
import type { BotGround } from "../bot-ground.js";
import { actorOf, type BotContext } from "../context.js";
import { isOwnWords } from "../telegram/message-content.js";
import { isPrivate } from "../telegram/place.js";

const OPEN_MS = HOUR_MS;
/** The most wrong codes of a person, and of all people together: nobody guesses 64 bits, so more are an attack. */
const TRIES_MAX = 5;
const ALL_TRIES_MAX = 1000;
const REMEMBERED = 1000;

/** Holds the code that makes one person an admin. It is in memory: a restart prints another one. */
export class AdminCode {
  readonly #tries = new BoundedMap<number, number>(REMEMBERED);
  #allTries = 0;
  #held: { code: string; until: number } | undefined;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  open(code: string): void {
    this.#held = { code, until: this.clock.monotonic() + OPEN_MS };
  }

  /**
   * Takes the code if it is the right one, once. Undefined for a wrong one, and for each after too many.
   * @returns what puts it back, for an admin who could not be kept
   */
  take(userId: number, given: string): { giveBack(): void } | undefined {
    const held = this.#held;
    const tries = this.#tries.get(userId) ?? 0;
    if (!held || this.clock.monotonic() >= held.until || tries >= TRIES_MAX) return undefined;
    if (isSameSecret(given, held.code)) {
      this.#held = undefined;
      const giveBack = () => {
        this.#held = held;
      };
      return { giveBack };
    }
    this.#tries.set(userId, tries + 1);
    this.#allTries += 1;
    if (this.#allTries >= ALL_TRIES_MAX) this.#held = undefined;
    return undefined;
  }
}

/** Matches what `Ids.adminCode` makes; other words after /start are not its own. */
const CODE = /^[0-9a-f]{16}$/;

/** Makes an admin of the first who sends the code of the start. It comes before the list of people who may use the bot. */
export function becomeAdmin(bot: BotGround, adminCode: AdminCode): MiddlewareFn<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command("start", async (ctx, next) => {
    const given = ctx.match.trim().toLowerCase();
    if (!CODE.test(given) || !isOwnWords(ctx.msg)) return next();
    if (isPrivate(ctx)) return answer(ctx, given, adminCode, bot);
    // All of the group have read it: nobody may use it any more, and nothing says that it was right.
    if (adminCode.take(ctx.person.id, given))
      bot.logger.warn("the admin code was sent to a group and is void: a restart prints a new one");
  });
  return composer.middleware();
}

async function answer(
  ctx: CommandContext<BotContext>,
  given: string,
  adminCode: AdminCode,
  { adminIds, commandMenu, logger }: BotGround,
): Promise<void> {
  const { person, language } = ctx;
  // Also where the update is handled again.
  if (!adminIds.has(person.id)) {
    const taken = adminCode.take(person.id, given);
    if (!taken) return void (await ctx.reply(language.t("admin-code-wrong")));
    try {
      await adminIds.add(person, actorOf(ctx));
    } catch (error) {
      taken.giveBack();
      throw error;
    }
    logger.warn({ user_id: person.id, username: person.username }, "a person became an admin by the code");
  }
  commandMenu.onContact(person, language);
  await ctx.reply(language.t("admin-welcome"));
}
