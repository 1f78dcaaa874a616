import { InlineKeyboard } from "grammy";
import { type Kopecks, leftOf } from "../../contract/price.js";
import { keptOf } from "../../tills/payment-store.js";
import { payerOf, paymentName, type TillInvoice, type TillPayment } from "../../tills/till.js";
import type { ManagedGround } from "../bot-ground.js";
import { mainTextOf } from "../card/form/fields.js";
import { telegramFailure, unreachable } from "../telegram/failure.js";
import { editOrIgnore } from "../telegram/tap-answers.js";
import type { Language } from "../texts/texts.js";
import { priceText, topUpButton } from "./top-ups.js";

const TELL_AT_ONCE = 50;

/** Tells people what became of their payments. What cannot be sent now is sent by the reconciliation. */
export class PaymentTeller {
  readonly #telling = new Set<number>();
  readonly #tellingEnds = new Set<number>();
  readonly #tellingReturns = new Set<number>();

  constructor(private readonly modules: ManagedGround) {}

  /** Tells of a credit, once, and shows the card that waited for it. Never rejects. */
  async tellCredit(payment: TillPayment, debtPaidKopecks?: Kopecks): Promise<void> {
    const { id } = payment;
    const userId = payerOf(payment);
    if (userId === null || payment.kopecks === null || this.#telling.has(id)) return;
    const { accounts, logger } = this.modules;
    this.#telling.add(id);
    try {
      const balanceKopecks = await accounts.users.balanceOf(userId);
      const isTold = await this.#send(userId, ({ t, money }) => {
        // What was paid back since, and is not told yet, is told after it.
        const sum = money(keptOf({ ...payment, returned: payment.told_returned ?? payment.returned }));
        const lines = [t("payment-credited", { sum, balance: money(balanceKopecks ?? 0) })];
        if (debtPaidKopecks) lines.push(t("payment-debt", { debt: money(debtPaidKopecks) }));
        return lines.join("\n");
      });
      if (isTold) await this.#showCard(userId);
      await accounts.payments.markTold(id);
    } catch (error) {
      logger.warn({ payment_id: id, user_id: userId, err: error }, "credit of a payment not told");
    } finally {
      this.#telling.delete(id);
    }
  }

  /** Tells of credits at a till, and of what was paid back, that could not be told before. */
  async tellMoves(till: string): Promise<void> {
    const { payments } = this.modules.accounts;
    for (const payment of payments.untold(till, TELL_AT_ONCE)) await this.tellCredit(payment);
    for (const payment of payments.untoldReturns(till, TELL_AT_ONCE)) await this.tellReturn(payment);
  }

  /** Has the messages of invoices at a till say how these ended: see `#tellEnd`. Never rejects. */
  async tellEnds(till: string): Promise<void> {
    const { payments } = this.modules.accounts;
    for (const invoice of payments.ended(till, TELL_AT_ONCE)) await this.#tellEnd(invoice);
  }

  /**
   * Has the message of an invoice say how it ended, without its button; one that failed can be tried again. Edits of the
   * same message: said again after a crash, it is said once. Never rejects.
   */
  async #tellEnd(invoice: TillInvoice): Promise<void> {
    const { userId, message_id: messageId, state, kopecks, id } = invoice;
    if (messageId === null || this.#tellingEnds.has(id)) return;
    const { api, accounts, languageOf, logger } = this.modules;
    this.#tellingEnds.add(id);
    try {
      const language = languageOf(userId);
      const sum = language.money(kopecks);
      const text = language.t(state === "paid" ? "invoice-paid" : "invoice-failed", { sum });
      const reply_markup = state === "paid" ? undefined : this.#againKeyboard(invoice, language);
      await editOrIgnore(
        api.editMessageText(userId, messageId, text, { ...(reply_markup && { reply_markup }) }),
      ).catch((error: unknown) => {
        // What is refused for good must not hold the place of others.
        if (unreachable(error) === undefined && telegramFailure(error).kind !== "refused") throw error;
      });
      await accounts.payments.markEndTold(invoice);
    } catch (error) {
      logger.warn({ invoice_id: id, user_id: userId, err: error }, "end of an invoice not told");
    } finally {
      this.#tellingEnds.delete(id);
    }
  }

  /** Offers the same sum once more, and at the other tills. */
  #againKeyboard({ till, price, kopecks }: TillInvoice, { t }: Language): InlineKeyboard {
    const { topUps } = this.modules;
    const same = topUps.find(till, { price, kopecks });
    const others = topUps.offersOf(kopecks).filter((one) => one.till.name !== till);
    return new InlineKeyboard([
      [
        ...(same ? [topUpButton(same, t("button-top-up-again"))] : []),
        ...others.map((one) => topUpButton(one, t(`button-instead-${one.till.name}`))),
      ],
    ]);
  }

  /** Tells that a payment arrived and belongs to no invoice. Never rejects. */
  async tellHeld(payment: TillPayment): Promise<void> {
    const userId = payerOf(payment);
    if (userId === null) return;
    const number = paymentName(payment.id);
    await this.#send(userId, ({ t }) => t("payment-held", { number })).catch((error: unknown) =>
      this.modules.logger.warn(
        { payment_id: payment.id, user_id: userId, err: error },
        "held payment not told",
      ),
    );
  }

  /** Tells what of a payment was paid back, the whole of it or a part, once. Never rejects. */
  async tellReturn(given: TillPayment): Promise<void> {
    const { accounts, logger } = this.modules;
    const { id } = given;
    const userId = payerOf(given);
    if (this.#tellingReturns.has(id)) return;
    this.#tellingReturns.add(id);
    try {
      const payment = accounts.payments.byId(id);
      if (!payment || payment.told_returned === null) return;
      // What it owes is of the running refund: a part before that is told when it has ended.
      if (payment.state === "refunding") return;
      if (userId !== null) await this.#send(userId, (language) => returnWords(payment, language));
      await accounts.payments.markReturnTold(payment);
    } catch (error) {
      logger.warn({ payment_id: id, user_id: userId, err: error }, "refund not told");
    } finally {
      this.#tellingReturns.delete(id);
    }
  }

  /** Shows the card again, which has its paying button now. */
  async #showCard(userId: number): Promise<void> {
    const { drafts, cards, gateways, people, logger } = this.modules;
    const person = people.find(userId);
    const draft = drafts.composing(userId, userId);
    if (!person || !draft || mainTextOf(draft.parameters, undefined) === undefined) return;
    await cards
      .repost(draft, { person, gateway: await gateways.of(person) })
      .catch((error: unknown) => logger.warn({ draft_id: draft.id, err: error }, "waiting card not shown"));
  }

  /** Resolves to false for a person who cannot be reached. */
  async #send(userId: number, words: (language: Language) => string): Promise<boolean> {
    const { api, languageOf, logger } = this.modules;
    try {
      await api.sendMessage(userId, words(languageOf(userId)), { parse_mode: "HTML" });
      return true;
    } catch (error) {
      const reason = unreachable(error);
      if (reason === undefined) throw error;
      logger.info({ user_id: userId, reason }, "person not reached about a payment");
      return false;
    }
  }
}

/** Words what was paid back since the person was told of it last. */
function returnWords(payment: TillPayment, language: Language): string {
  const { id, kopecks, owed_kopecks, told_returned: told } = payment;
  const { t, money } = language;
  const price = priceText(payment, language);
  if (kopecks === null) return t("payment-refunded-held", { price });
  const owed = owed_kopecks === 0 ? "" : "-owed";
  if (payment.state === "refunded" && !told)
    return t(`payment-refunded${owed}`, { price, owed: money(owed_kopecks) });
  const before = keptOf({ ...payment, returned: told ?? 0 });
  const sum = money(payment.state === "refunded" ? before : leftOf(before, keptOf(payment)));
  return t(`payment-part-refunded${owed}`, { number: paymentName(id), sum, owed: money(owed_kopecks) });
}
