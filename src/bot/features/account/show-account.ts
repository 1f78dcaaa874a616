import type { AccountRecords } from "../../../ports/account-records.js";
import type { Audit } from "../../../ports/audit.js";
import type { Consents } from "../../../ports/consents.js";
import type { Payments } from "../../../ports/till.js";
import type { BotContext } from "../../context.js";
import type { NumberedOrders } from "../../orders/store/numbered-orders.js";
import type { OrderStore } from "../../orders/store/order-store.js";
import { actorName } from "../../people/actor-name.js";
import { personText } from "../../people/balance-words.js";
import { findMeant } from "../../people/find-meant.js";
import type { MeantPerson } from "../../people/meant-person.js";
import type { Person } from "../../people/people.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import type { Language } from "../../texts/texts.js";
import type { BanDeps } from "../bans/make-ban.js";
import type { CorrectionDeps } from "../corrections/corrections.js";
import { type AccountFacts, accountKeyboard, accountText } from "./account-screen.js";

const ORDERS_SHOWN = 5;
const PAYMENTS_SHOWN = 5;
const CONSENTS_SHOWN = 4;

export interface AccountDeps extends BanDeps, CorrectionDeps {
  admin: CorrectionDeps["admin"];
  records: AccountRecords;
  audit: Pick<Audit, "record">;
  orders: Pick<OrderStore, "find">;
  payments: Pick<Payments, "ofUser">;
  consents: Pick<Consents, "of">;
  numbered: Pick<NumberedOrders, "newestOf">;
  supportContact: string | undefined;
}

/**
 * Finds the person whom an admin means and shows the account. False where nobody was found, which the admin is told.
 * @param options `isFromList`: Telegram's list of people may be open below, and is removed
 */
export async function showFound(
  ctx: BotContext,
  meant: MeantPerson,
  deps: AccountDeps,
  { isFromList = true } = {},
): Promise<boolean> {
  const found = await findMeant(meant, deps, ctx.language.t);
  if ("fault" in found) {
    await ctx.reply(found.fault, { reply_markup: { remove_keyboard: true } });
    return false;
  }
  // The list of people stays below until a message removes it.
  if (isFromList)
    await ctx.reply(personText(found.person), {
      parse_mode: "HTML",
      reply_markup: { remove_keyboard: true },
    });
  await showAccount(ctx, found.person, deps);
  return true;
}

/** Sends the account to the admin's private chat. */
export async function showAccount(ctx: BotContext, person: Person, deps: AccountDeps): Promise<void> {
  const facts = await factsOf(person, ctx.language, deps);
  await ctx.api.sendMessage(ctx.person.id, accountText(facts, ctx.language), {
    parse_mode: "HTML",
    reply_markup: accountKeyboard(facts, ctx.language),
  });
}

/** Shows the account as it is now in place of an older screen. */
export async function editAccount(ctx: BotContext, person: Person, deps: AccountDeps): Promise<void> {
  const facts = await factsOf(person, ctx.language, deps);
  const keyboard = accountKeyboard(facts, ctx.language);
  const text = accountText(facts, ctx.language);
  await editOrIgnore(ctx.editMessageText(text, { parse_mode: "HTML", reply_markup: keyboard }));
}

async function factsOf(person: Person, language: Language, deps: AccountDeps): Promise<AccountFacts> {
  await deps.admin.ensure(person);
  const record = deps.records.of(person.id);
  if (!record) throw new Error("the account of a person was not opened");
  return {
    person,
    record,
    seen: deps.people.seen(person.id),
    orders: deps.numbered.newestOf(person.id, ORDERS_SHOWN),
    payments: deps.payments.ofUser(person.id, PAYMENTS_SHOWN),
    orderOf: (id) => deps.orders.find(id),
    nameOf: (actor) => actorName(actor, deps.people, language),
    consents: deps.consents.of(person.id, CONSENTS_SHOWN),
  };
}
