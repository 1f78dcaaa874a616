import { Recent } from "../platform/recent.js";
import { type BotContext, isPrivate } from "./context.js";
import { answerTap } from "./tap-answers.js";

/** How many people are remembered as refused. */
const REMEMBERED = 1000;

/** Lets only the listed people in, where there is a list. */
export class Access {
  readonly #allowed: ReadonlySet<number>;
  readonly #refused = new Recent<number, true>(REMEMBERED);

  /**
   * @param userIds empty: everybody
   * @param adminIds let in wherever there is a list
   */
  constructor(userIds: readonly number[], adminIds: Iterable<number>) {
    this.#allowed = new Set(userIds.length === 0 ? [] : [...userIds, ...adminIds]);
  }

  isFor(userId: number): boolean {
    return this.#allowed.size === 0 || this.#allowed.has(userId);
  }

  /** Answers every tap of a person who may not come in, and the first of their messages. */
  async refuse(ctx: BotContext): Promise<void> {
    const words = ctx.language.t("not-allowed");
    if (ctx.callbackQuery) return answerTap(ctx, words, { isAlert: true });
    if (this.#refused.get(ctx.person.id) || !isPrivate(ctx)) return;
    this.#refused.set(ctx.person.id, true);
    await ctx.reply(words);
  }
}
