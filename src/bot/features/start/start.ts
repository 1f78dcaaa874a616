import { Composer, InlineKeyboard } from "grammy";
import { GENERATION_TYPES, type GenerationType } from "../../../contract/model.js";
import { kopecksOf } from "../../../contract/money.js";
import { areLinksOnly } from "../../../ports/accounts.js";
import { NOT_CONNECTED } from "../../../ports/gateway.js";
import type { BotContext } from "../../context.js";
import type { Feature } from "../../feature.js";
import { taps } from "../../middleware/taps.js";
import { type BotAccounts, catalogueOf } from "../../people/accounts.js";
import { chatPlaceOf, isPrivate } from "../../telegram/place.js";
import { escapeHtml } from "../../texts/html.js";
import type { CardDeps } from "../compose/open-kind.js";
import { beginByTap } from "./begin-by-tap.js";
import type { ExamplePictures } from "./example-pictures.js";
import { startData } from "./start-data.js";

interface StartDeps extends CardDeps {
  examples: ExamplePictures;
  accounts: BotAccounts;
}

/** Answers /start, which a greeting becomes, with the available kinds. A newcomer also sees an example of each. */
export function startFeature(deps: StartDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.command("start", (ctx) => greet(ctx, deps));
  composer.use(taps(startData, (ctx, data) => beginByTap(ctx, data, deps)));
  return { name: "start", commands: ["start"], callbackPrefixes: [startData.prefix], composer };
}

async function greet(ctx: BotContext, { examples, accounts }: StartDeps): Promise<void> {
  const { gateway, language } = ctx;
  const { t } = language;
  const models = gateway === NOT_CONNECTED ? catalogueOf(accounts) : await gateway.models();
  const types = GENERATION_TYPES.filter((type) => models.some((model) => model.type === type));
  const text = await greetingText(ctx, accounts);
  const place = chatPlaceOf(ctx);
  const shown = ctx.isNewcomer ? types : [];
  const pictures = shown.map((type) => ({ type, caption: t(`example-${type}`) }));
  if (place) await examples.send(place, pictures);
  await ctx.reply(text, { parse_mode: "HTML", reply_markup: keyboardOf(types, shown, ctx) });
}

async function greetingText(ctx: BotContext, accounts: BotAccounts): Promise<string> {
  const { t, money } = ctx.language;
  const how = t(
    isPrivate(ctx) ? (areLinksOnly(accounts) ? "start-how-links" : "start-how") : "start-how-group",
  );
  const lines = [`${t("start-hello", { name: escapeHtml(ctx.person.name) })}\n${how}`];
  if (ctx.gateway === NOT_CONNECTED) lines.push(t(isPrivate(ctx) ? "connect-first" : "connect-first-group"));
  else if (isPrivate(ctx)) {
    const { amount } = await ctx.gateway.balance();
    const key = accounts.kind === "shared" ? "start-balance-shared" : "start-balance";
    lines.push(t(key, { balance: money(kopecksOf(amount)) }));
  }
  return lines.join("\n\n");
}

function keyboardOf(
  types: readonly GenerationType[],
  withExample: readonly GenerationType[],
  ctx: BotContext,
): InlineKeyboard {
  const { t } = ctx.language;
  const owner = isPrivate(ctx) ? {} : { personId: ctx.person.id };
  const kinds = types.map((type) =>
    InlineKeyboard.text(t(`button-type-${type}`), startData.encode({ type, isExample: false, ...owner })),
  );
  const examples = withExample.map((type) => [
    InlineKeyboard.text(
      t("button-example", { type, text: t(`example-${type}`) }),
      startData.encode({ type, isExample: true, ...owner }),
    ),
  ]);
  return new InlineKeyboard([kinds, ...examples].filter((row) => row.length > 0));
}
