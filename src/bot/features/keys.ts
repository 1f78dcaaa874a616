import { InlineKeyboard } from "grammy";
import type { AccountKeys, ApiKey } from "../../contract/keys.js";
import { type BotContext, isPrivate } from "../context.js";
import { escapeHtml } from "../html.js";
import type { Person } from "../people/people.js";
import { answerTap } from "../tap-answers.js";
import { isNothingToEdit } from "../telegram/failure.js";
import type { Language } from "../texts.js";
import type { Feature, FeatureParts } from "./feature.js";
import { showKey } from "./show-key.js";

/**
 * What a button asks for, as callback data:
 * `k:n:<newest key>` a new key, `k:a:<key>` whether to revoke it, `k:r:<key>` revoke it, `k:l` the list,
 * `k:g` remove the message that shows a key.
 */
const DATA = /^k:(?:(n|a|r):(\d{1,15})|(l|g))$/;

interface Screen {
  text: string;
  keyboard: InlineKeyboard;
}

/** `/keys`: the API keys of a person's account, in their private chat only. */
export const keys: Feature = {
  name: "keys",
  commands: ["keys"],
  isOffered: ({ keys: offered }) => offered !== undefined,
  build(parts) {
    const accountKeys = parts.keys;
    if (!accountKeys) return {};
    const showKeys = async (ctx: BotContext) => {
      if (!isPrivate(ctx)) return void (await ctx.reply(ctx.language.t("keys-private-only")));
      const { text, keyboard } = await listScreen(ctx, accountKeys, parts);
      await ctx.reply(text, { parse_mode: "HTML", reply_markup: keyboard });
    };
    return {
      commands: { keys: showKeys },
      tap(ctx, data) {
        const match = DATA.exec(data);
        if (!match) return undefined;
        if (!isPrivate(ctx)) return answerTap(ctx, ctx.language.t("tap-unknown"));
        const [, action = match[3], id = "0"] = match;
        return act(ctx, action ?? "l", Number(id), accountKeys, parts);
      },
    };
  },
};

async function act(
  ctx: BotContext,
  action: string,
  keyId: number,
  accountKeys: AccountKeys,
  parts: FeatureParts,
): Promise<void> {
  if (action === "n") return create(ctx, keyId, accountKeys, parts);
  if (action === "a") return ask(ctx, keyId, accountKeys, parts);
  if (action === "r") return revoke(ctx, keyId, accountKeys, parts);
  if (action === "g") return removeShown(ctx, parts);
  await Promise.all([answerTap(ctx), showList(ctx, accountKeys, parts)]);
}

/** @param newestId the newest key that the tapped list showed: a second tap of an impatient finger names it too */
async function create(
  ctx: BotContext,
  newestId: number,
  accountKeys: AccountKeys,
  parts: FeatureParts,
): Promise<void> {
  const { t } = ctx.language;
  const chatId = ctx.chatId;
  const living = await accountKeys.living(ctx.person);
  if (chatId === undefined || newestOf(living) !== newestId) {
    return void (await Promise.all([answerTap(ctx), showList(ctx, accountKeys, parts)]));
  }
  const made = await accountKeys.create(ctx.person, null);
  if (!made) return answerTap(ctx, t("keys-too-many", { count: living.length }), { isAlert: true });
  try {
    await showKey(ctx, chatId, made.key, parts);
  } catch (error) {
    // A key that its owner may not have seen serves nobody, and may stand where somebody else sees it.
    await accountKeys.revoke(ctx.person, made.info.id);
    parts.logger.warn({ key_id: made.info.id, err: error }, "new key not shown, and revoked");
    await ctx.reply(t("key-not-shown"));
  }
  await Promise.all([answerTap(ctx), showList(ctx, accountKeys, parts)]);
}

async function ask(
  ctx: BotContext,
  keyId: number,
  accountKeys: AccountKeys,
  parts: FeatureParts,
): Promise<void> {
  const { t } = ctx.language;
  const key = (await accountKeys.living(ctx.person)).find(({ id }) => id === keyId);
  if (!key) return void (await Promise.all([answerTap(ctx), showList(ctx, accountKeys, parts)]));
  const keyboard = new InlineKeyboard()
    .text(t("button-revoke-key"), `k:r:${keyId}`)
    .text(t("button-back"), "k:l");
  const text = t("keys-revoke-ask", { key: escapeHtml(nameOf(key)) });
  await Promise.all([answerTap(ctx), edit(ctx, { text, keyboard })]);
}

async function revoke(
  ctx: BotContext,
  keyId: number,
  accountKeys: AccountKeys,
  parts: FeatureParts,
): Promise<void> {
  const isRevoked = await accountKeys.revoke(ctx.person, keyId);
  const words = isRevoked ? ctx.language.t("key-revoked") : undefined;
  await Promise.all([answerTap(ctx, words), showList(ctx, accountKeys, parts)]);
}

async function removeShown(ctx: BotContext, { removals }: FeatureParts): Promise<void> {
  const { chatId, msgId } = ctx;
  if (chatId === undefined || msgId === undefined) return answerTap(ctx);
  await Promise.all([answerTap(ctx), removals.now(chatId, msgId)]);
}

async function showList(ctx: BotContext, accountKeys: AccountKeys, parts: FeatureParts): Promise<void> {
  await edit(ctx, await listScreen(ctx, accountKeys, parts));
}

async function edit(ctx: BotContext, { text, keyboard }: Screen): Promise<void> {
  try {
    await ctx.editMessageText(text, { parse_mode: "HTML", reply_markup: keyboard });
  } catch (error) {
    if (!isNothingToEdit(error)) throw error;
  }
}

async function listScreen(
  ctx: { person: Person; language: Language },
  accountKeys: AccountKeys,
  { apiUrl, clock }: FeatureParts,
): Promise<Screen> {
  const { t } = ctx.language;
  const living = await accountKeys.living(ctx.person);
  const now = clock.now();
  const lines = living.map((key) => keyLine(key, now, ctx.language));
  const head = `<b>${t("keys-title")}</b>\n${t("keys-about", { address: escapeHtml(apiUrl) })}`;
  const keyboard = new InlineKeyboard();
  for (const key of living) keyboard.text(`🗑 ${nameOf(key)}`, `k:a:${key.id}`).row();
  keyboard.text(t("button-new-key"), `k:n:${newestOf(living)}`);
  return { text: [head, lines.length > 0 ? lines.join("\n") : t("keys-none")].join("\n\n"), keyboard };
}

function keyLine(key: ApiKey, now: number, language: Language): string {
  const used = key.lastUsedAt === null ? language.t("key-never-used") : ago(now - key.lastUsedAt, language);
  const name = key.name === null ? "" : ` ${escapeHtml(key.name)}`;
  return `<code>${escapeHtml(nameOf(key))}</code>${name} · ${used}`;
}

function ago(elapsedMs: number, { t }: Language): string {
  const minutes = Math.floor(elapsedMs / 60_000);
  if (minutes < 60) return t("key-used-minutes", { minutes: Math.max(1, minutes) });
  if (minutes < 48 * 60) return t("key-used-hours", { hours: Math.floor(minutes / 60) });
  return t("key-used-days", { days: Math.floor(minutes / (24 * 60)) });
}

function nameOf({ prefix }: ApiKey): string {
  return `${prefix}…`;
}

function newestOf(living: readonly ApiKey[]): number {
  return living.at(-1)?.id ?? 0;
}
