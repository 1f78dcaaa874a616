import type { MiddlewareFn, MiddlewareObj } from "grammy";
import { BoundedMap } from "../../platform/bounded-map.js";
import type { Admins } from "../../ports/admins.js";
import type { BotContext } from "../context.js";
import { isPrivate } from "../telegram/place.js";
import { answerTap } from "../telegram/tap-answers.js";

const REMEMBERED = 1000;

/** Allows only the listed people, if there is a list. */
export class Access {
  readonly #allowed: ReadonlySet<number>;
  readonly #admins: Admins;
  readonly #refused = new BoundedMap<number, true>(REMEMBERED);

  /** Allows `userIds` and admins, or everybody where `userIds` is empty. */
  constructor(userIds: readonly number[], adminIds: Admins) {
    this.#allowed = new Set(userIds);
    this.#admins = adminIds;
  }

  isFor(userId: number): boolean {
    return this.#allowed.size === 0 || this.#allowed.has(userId) || this.#admins.has(userId);
  }

  /** Answers every tap of a refused person, but only their first message. */
  async refuse(ctx: BotContext): Promise<void> {
    const words = ctx.language.t("not-allowed");
    if (ctx.callbackQuery) return answerTap(ctx, words, { isAlert: true });
    if (this.#refused.get(ctx.person.id) || !isPrivate(ctx)) return;
    this.#refused.set(ctx.person.id, true);
    await ctx.reply(words);
  }
}

/** @param open what everybody may ask. Nothing else of the bot, such as an account, is for people who are not let in */
export function allowedOnly(access: Access, open: MiddlewareObj<BotContext>): MiddlewareFn<BotContext> {
  const ofOthers = open.middleware();
  return (ctx, next) => (access.isFor(ctx.person.id) ? next() : ofOthers(ctx, () => access.refuse(ctx)));
}
