import { type Api, GrammyError } from "grammy";
import type { PreCheckoutQuery } from "grammy/types";
import { type Clock, sleep } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { retry } from "../../platform/retry.js";
import type { Payments } from "../../ports/till.js";
import type { People } from "../people/people.js";
import type { Texts } from "../texts/texts.js";
import { type Bar, type CheckoutRefusal, judgeCheckout } from "./checkout-rules.js";
import { STARS } from "./stars-till.js";

/** Time to judge a payment, in ms. A disk that does not answer by then is a doubt. */
const JUDGE_MS = 1000;
/** Time for the call with its retries. Telegram waits for ten seconds. */
const ANSWER_MS = 8000;
const BACK_OFF = { firstMs: 100, maxMs: 1000 };

interface PreCheckoutParts {
  /** Does not retry by itself: an answer is useless when late. */
  plainApi: Pick<Api, "answerPreCheckoutQuery">;
  payments: Pick<Payments, "invoice">;
  people: Pick<People, "find">;
  texts: Texts;
  isOn: () => boolean;
  barOf: (userId: number) => Bar | undefined;
  /** Rejects where the database takes no writes. */
  probeWrite: () => Promise<void>;
  clock: Clock;
  logger: Logger;
}

/**
 * Answers pre-checkout queries in a lane of their own: they wait for no other update and for no queue of a chat, and
 * are not kept over a restart, since Telegram takes no late answer. Any doubt refuses the payment.
 */
export class PreCheckout {
  readonly #parts: PreCheckoutParts;
  #isDraining = false;

  constructor(parts: PreCheckoutParts) {
    this.#parts = parts;
  }

  /** Refuses from now on: the update of a payment would wait for the next start. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Never rejects. */
  async answer(query: PreCheckoutQuery): Promise<void> {
    await this.#answer(query).catch((error: unknown) =>
      this.#parts.logger.error({ err: error }, "pre-checkout not read"),
    );
  }

  async #answer(query: PreCheckoutQuery): Promise<void> {
    const { logger, clock } = this.#parts;
    const began = clock.monotonic();
    const refusal = await this.#judge(query);
    const ids = { user_id: query.from.id, stars: query.total_amount };
    try {
      await this.#send(query, refusal, began + ANSWER_MS);
      logger.info({ ...ids, refusal, ms: Math.round(clock.monotonic() - began) }, "pre-checkout answered");
    } catch (error) {
      logger.warn({ ...ids, refusal, err: error }, "pre-checkout not answered");
    }
  }

  async #judge(query: PreCheckoutQuery): Promise<CheckoutRefusal | undefined> {
    const { payments, isOn, barOf, probeWrite, clock, logger } = this.#parts;
    if (this.#isDraining) return "busy";
    try {
      const { from, invoice_payload } = query;
      const facts = { isOn: isOn(), bar: barOf(from.id), now: clock.now() };
      const refusal = judgeCheckout({ query, invoice: payments.invoice(STARS, invoice_payload), ...facts });
      if (refusal) return refusal;
      const isWritable = await this.#inTime(probeWrite());
      return isWritable && !this.#isDraining ? undefined : "busy";
    } catch (error) {
      logger.error({ user_id: query.from.id, err: error }, "pre-checkout not judged");
      return "busy";
    }
  }

  async #inTime(write: Promise<void>): Promise<boolean> {
    const ended = new AbortController();
    const late = sleep(this.#parts.clock, JUDGE_MS, ended.signal).then(() => false);
    return Promise.race([write.then(() => true), late]).finally(() => ended.abort());
  }

  async #send(query: PreCheckoutQuery, refusal: CheckoutRefusal | undefined, until: number): Promise<void> {
    const { plainApi, people, texts, clock } = this.#parts;
    const { from } = query;
    const { t } = texts.in(people.find(from.id)?.locale ?? from.language_code);
    const words = refusal && { error_message: t(`checkout-${refusal}`) };
    const isOver = (error: unknown) => error instanceof GrammyError || clock.monotonic() >= until;
    const options = { clock, backOff: BACK_OFF, until: isOver, onFailure: () => {} };
    await retry(options, () => plainApi.answerPreCheckoutQuery(query.id, !refusal, words || {}));
  }
}
