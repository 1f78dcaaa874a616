import { Composer } from "grammy";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { sendScreen } from "../screens.js";
import { isPrivate, topicOf } from "../telegram/place.js";

/** Answers `/id` with the ids that settings such as `ADMIN_IDS` want. Everybody may ask. */
export function idFeature(): Feature {
  const composer = new Composer<BotContext>();
  composer.command("id", async (ctx) => {
    const { t } = ctx.language;
    const lines = [t("id-person", { id: String(ctx.person.id) })];
    if (!isPrivate(ctx)) lines.push(t("id-chat", { id: String(ctx.chatId) }));
    const topic = topicOf(ctx.msg);
    if (topic !== null) lines.push(t("id-topic", { id: String(topic) }));
    await sendScreen(ctx, { text: lines.join("\n") });
  });
  return { composer };
}
