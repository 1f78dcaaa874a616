import { Composer, InlineKeyboard } from "grammy";
import { type BotContext, isPrivate } from "../context.js";
import { answerTap } from "../tap-answers.js";
import type { Feature } from "./feature.js";

const DATA = /^l:([a-z]{2,8})$/;

/** `/language`: the language of everything that the bot says to this person. */
export const language: Feature = {
  name: "language",
  commands: ["language"],
  build({ texts, people, commandMenu }) {
    const composer = new Composer<BotContext>();
    composer.command("language", async (ctx) => {
      const keyboard = new InlineKeyboard();
      for (const { code, ownName } of texts.languages) keyboard.text(ownName, `l:${code}`);
      await ctx.reply(ctx.language.t("language-choose"), { reply_markup: keyboard });
    });
    composer.callbackQuery(DATA, async (ctx) => {
      const code = ctx.match[1] ?? "";
      if (!texts.has(code)) return answerTap(ctx, ctx.language.t("tap-unknown"));
      const person = await people.setLocale(ctx.person, code);
      const chosen = texts.in(person.locale);
      await Promise.all([answerTap(ctx), ctx.editMessageText(chosen.t("language-chosen"))]);
      if (isPrivate(ctx)) await commandMenu.setChat(person.id, chosen);
    });
    return composer;
  },
};
