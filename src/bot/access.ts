import { type BotContext, isPrivate } from "./context.js";
import { answerTap } from "./tap-answers.js";

/** Lets only the listed people in, where there is a list. */
export class Access {
  readonly #allowed: ReadonlySet<number>;
  readonly #refused = new Set<number>();

  /** @param userIds empty: everybody */
  constructor(userIds: readonly number[]) {
    this.#allowed = new Set(userIds);
  }

  isFor(userId: number): boolean {
    return this.#allowed.size === 0 || this.#allowed.has(userId);
  }

  /** Answers every tap of a person who may not come in, and their first message of a run. */
  async refuse(ctx: BotContext): Promise<void> {
    const words = ctx.language.t("not-allowed");
    if (ctx.callbackQuery) return answerTap(ctx, words, { isAlert: true });
    if (this.#refused.has(ctx.person.id) || !isPrivate(ctx)) return;
    this.#refused.add(ctx.person.id);
    await ctx.reply(words);
  }
}
