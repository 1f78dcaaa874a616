import { createReadStream } from "node:fs";
import { join } from "node:path";
import { Composer, InlineKeyboard } from "grammy";
import type { Message } from "grammy/types";
import { newestEntries } from "../../accounts/ledger-store.js";
import { GENERATION_TYPES, type GenerationType } from "../../contract/model.js";
import { kopecksOf } from "../../contract/price.js";
import { NOT_CONNECTED } from "../../ports/gateway.js";
import { areLinksOnly, catalogueFor } from "../../service/accounts.js";
import { mainTextOf } from "../card/form/fields.js";
import { heldPictures } from "../card/form/picture-fields.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { taps } from "../middleware.js";
import { type BotModules, isManaged, type ManagedBot } from "../modules.js";
import { actionData, type DataOf, natural, oneOf } from "../telegram/button-data.js";
import { uploadOf } from "../telegram/files.js";
import { type ChatPlace, chatPlaceOf, inTopic, isPrivate } from "../telegram/place.js";
import { alertTap, answerTap } from "../telegram/tap-answers.js";
import { escapeHtml } from "../texts/html.js";
import { carriedFrom } from "./compose/compose.js";
import { openKind } from "./compose/open-kind.js";

const type = oneOf("type", GENERATION_TYPES);

/** The buttons of the greeting: an empty card, or the example of a kind. In a group they name who may tap. */
export const startData = actionData("s", {
  card: [type],
  example: [type, "example"],
  ownCard: [type, natural("personId")],
  ownExample: [type, "example", natural("personId")],
});

type ExamplePictures = readonly { type: GenerationType; caption: string }[];
type SendExamples = (place: ChatPlace, pictures: ExamplePictures) => Promise<void>;

/**
 * Sends the pictures of the examples, `<type>.jpg`, as an album or one photo, by single tries: a greeting does not wait for
 * them. Each is uploaded once, and sent by its file id from then on. Never rejects.
 */
function exampleSender({ plainApi, examplesDirectory, logger }: BotModules): SendExamples {
  const fileIds = new Map<GenerationType, string>();
  const mediaOf = (type: GenerationType) => {
    const name = `${type}.jpg`;
    return fileIds.get(type) ?? uploadOf(async () => createReadStream(join(examplesDirectory, name)), name);
  };
  const send = async (place: ChatPlace, pictures: ExamplePictures): Promise<Message[]> => {
    const [first, ...others] = pictures.map(({ type, caption }) => ({
      type: "photo" as const,
      media: mediaOf(type),
      caption,
    }));
    if (!first) return [];
    if (others.length > 0) return plainApi.sendMediaGroup(place.chatId, [first, ...others], inTopic(place));
    const { media, caption } = first;
    return [await plainApi.sendPhoto(place.chatId, media, { ...inTopic(place), caption })];
  };
  return async (place, pictures) => {
    try {
      for (const [index, { photo }] of (await send(place, pictures)).entries()) {
        const [picture, fileId] = [pictures[index], photo?.at(-1)?.file_id];
        if (picture && fileId !== undefined) fileIds.set(picture.type, fileId);
      }
    } catch (error) {
      // Telegram may no longer accept the file id.
      fileIds.clear();
      logger.warn({ err: error }, "example pictures not sent");
    }
  };
}

/** Answers /start, which a greeting becomes, with the available kinds. A newcomer also sees an example of each. */
export function startFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  const sendExamples = exampleSender(bot);
  composer.command("start", (ctx) => greet(ctx, sendExamples, bot));
  composer.use(taps(startData, (ctx, data) => beginByTap(ctx, data, bot)));
  return { commands: ["start"], composer };
}

async function greet(ctx: BotContext, sendExamples: SendExamples, bot: BotModules): Promise<void> {
  const { gateway, language } = ctx;
  const { t } = language;
  const models = gateway === NOT_CONNECTED ? catalogueFor(bot.accounts) : await gateway.models();
  const types = GENERATION_TYPES.filter((type) => models.some((model) => model.type === type));
  // Without an account nothing may be known of the models yet.
  const isOpen = types.length > 0 || gateway === NOT_CONNECTED;
  const text = isOpen ? await greetingText(ctx, bot) : t("start-nothing");
  const place = chatPlaceOf(ctx);
  const shown = ctx.isNewcomer ? types : [];
  const pictures = shown.map((type) => ({ type, caption: t(`example-${type}`) }));
  if (place) await sendExamples(place, pictures);
  await ctx.reply(text, { parse_mode: "HTML", reply_markup: keyboardOf(types, shown, ctx) });
}

async function greetingText(ctx: BotContext, bot: BotModules): Promise<string> {
  const { t, money } = ctx.language;
  const { accounts } = bot;
  const how = t(
    isPrivate(ctx) ? (areLinksOnly(accounts) ? "start-how-links" : "start-how") : "start-how-group",
  );
  const lines = [`${t("start-hello", { name: escapeHtml(ctx.person.name) })}\n${how}`];
  if (ctx.gateway === NOT_CONNECTED) lines.push(t(isPrivate(ctx) ? "connect-first" : "connect-first-group"));
  else if (isPrivate(ctx)) {
    const { amount } = await ctx.gateway.balance();
    const isGift = isManaged(bot) && ctx.isNewcomer && amount > 0 && hasOnlyGift(ctx.person.id, bot);
    const key = accounts.kind === "shared" ? "start-balance-shared" : isGift ? "start-gift" : "start-balance";
    lines.push(t(key, { balance: money(kopecksOf(amount)) }));
  }
  return lines.join("\n\n");
}

/** True for what a newcomer has, but not for somebody who was forgotten and comes back. */
function hasOnlyGift(userId: number, { accounts, database }: ManagedBot): boolean {
  const accountId = accounts.users.find(userId);
  return accountId === undefined || newestEntries(database, accountId, 2).length < 2;
}

function keyboardOf(
  types: readonly GenerationType[],
  withExample: readonly GenerationType[],
  ctx: BotContext,
): InlineKeyboard {
  const { t } = ctx.language;
  const personId = ctx.person.id;
  const isAlone = isPrivate(ctx);
  const kinds = types.map((type) =>
    InlineKeyboard.text(
      t(`button-type-${type}`),
      startData.encode(isAlone ? { action: "card", type } : { action: "ownCard", type, personId }),
    ),
  );
  const examples = withExample.map((type) => [
    InlineKeyboard.text(
      t("button-example", { type, text: t(`example-${type}`) }),
      startData.encode(isAlone ? { action: "example", type } : { action: "ownExample", type, personId }),
    ),
  ]);
  // Three in a row are cut on a narrow phone.
  const rows = [kinds.slice(0, 1), kinds.slice(1), ...examples];
  return new InlineKeyboard(rows.filter((row) => row.length > 0));
}

/** Opens a card from a greeting's button. A second tap finds the same card. */
async function beginByTap(ctx: BotContext, data: DataOf<typeof startData>, bot: BotModules): Promise<void> {
  if ("personId" in data && data.personId !== ctx.person.id)
    return alertTap(ctx, ctx.language.t("tap-not-yours"));
  const { type, action } = data;
  const isExample = action === "example" || action === "ownExample";
  const messageId = ctx.msgId ?? 0;
  const text = isExample ? ctx.language.t(`example-${type}`) : "";
  const open = bot.drafts.composing(ctx.person.id, ctx.chatId);
  const words = open && (mainTextOf(open.parameters, undefined) ?? "");
  // A card that nobody has changed since.
  const isUntouched = open?.revision === 1 && open.takenMessageId === messageId && open.type === type;
  const hasPictures = open !== undefined && !isExample && heldPictures(open.parameters) > 0;
  if (isUntouched && (words === text || hasPictures)) {
    const told = answerTap(ctx, ctx.language.t("start-card-open"));
    await Promise.all([told, bot.cards.refresh(open, ctx)]);
    return;
  }
  const isCarried = hasPictures && open.type !== type;
  const carried = isCarried ? await carriedFrom(ctx, open, type, false, bot) : undefined;
  await openKind(ctx, { type, messageId, ...carried, text: text || carried?.text }, bot);
}
