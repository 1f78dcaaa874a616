import { Composer } from "grammy";
import type { BotContext } from "../../context.js";
import { type AnswerOutcome, ask, questionDialog } from "../../dialogs/ask.js";
import type { Feature } from "../../feature.js";
import { taps } from "../../middleware/taps.js";
import { callbackData } from "../../telegram/callback-data.js";
import { isPrivate } from "../../telegram/place.js";
import { answerTap } from "../../telegram/tap-answers.js";
import { escapeHtml } from "../../texts/html.js";
import type { SettingsEntry } from "../settings/settings.js";
import { type BuyDeps, buy, RECEIPT_CONTACT, type WaitingTopUp } from "../topup/buy.js";
import type { ReceiptContacts } from "./contact-table.js";
import { readContact } from "./read-contact.js";

/** Encodes `rc:a`: the one button, which asks anew. */
const receiptTap = callbackData<object>({
  prefix: "rc",
  encode: () => ["a"],
  decode: ([letter, ...rest]) => (letter === "a" && rest.length === 0 ? {} : undefined),
});

/** The entry of `/settings`, where a till sends receipts. */
export const RECEIPT_ENTRY: SettingsEntry = { label: "button-receipts", data: receiptTap.encode({}) };

interface ReceiptDeps extends BuyDeps {
  contacts: ReceiptContacts;
}

/** Asks where receipts go: before the first payment, and when a person wants to change it. In private chats only. */
export function receiptFeature(deps: ReceiptDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.use(
    taps(receiptTap, async (ctx, _data, next) => {
      if (!isPrivate(ctx)) return next();
      // A button of before, while no till sends receipts.
      if (!deps.topUps.tills.some(({ needsContact }) => needsContact))
        return answerTap(ctx, ctx.language.t("receipt-none"), { isAlert: true });
      await answerTap(ctx);
      await ask(ctx, RECEIPT_CONTACT, null);
      await ctx.reply(askText(ctx, deps), { parse_mode: "HTML" });
    }),
  );
  const dialog = questionDialog(RECEIPT_CONTACT, {
    endsOnCommand: true,
    take: (ctx, waiting) => takeContact(ctx, waiting, deps),
    onGivenUp: async (ctx) => void (await ctx.reply(ctx.language.t("receipt-given-up"))),
  });
  return {
    name: "receipt",
    callbackPrefixes: [receiptTap.prefix],
    questions: [dialog],
    ownData: deps.contacts.ownData,
    composer,
  };
}

function askText({ language: { t }, person }: BotContext, { contacts }: ReceiptDeps): string {
  const known = contacts.of(person.id);
  if (!known) return t("receipt-ask");
  const contact = "phone" in known ? `+${known.phone}` : known.email;
  return t("receipt-now", { contact: escapeHtml(contact) });
}

async function takeContact(
  ctx: BotContext,
  waiting: WaitingTopUp | null,
  deps: ReceiptDeps,
): Promise<AnswerOutcome> {
  const { t } = ctx.language;
  const text = ctx.message?.text;
  if (text === undefined) return { kind: "passed" };
  const contact = readContact(text);
  if (!contact) return { kind: "refused", reply: () => ctx.reply(t("receipt-wrong")) };
  await deps.contacts.save(ctx.person.id, contact);
  return { kind: "over", reply: () => goOn(ctx, waiting, deps) };
}

/** Goes on with the top-up that the question has stopped. */
async function goOn(ctx: BotContext, waiting: WaitingTopUp | null, deps: ReceiptDeps): Promise<void> {
  await ctx.reply(ctx.language.t("receipt-saved"));
  const offered = waiting && deps.topUps.find(waiting.till, waiting.topUp);
  if (offered) await buy(ctx, offered, deps);
}
