import { type Api, InlineKeyboard } from "grammy";
import type { GenerationType, Model } from "../../contract/model.js";
import { kopecksOf } from "../../contract/price.js";
import type { Database } from "../../database/database.js";
import { BoundedMap } from "../../platform/bounded-map.js";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { NOT_CONNECTED } from "../../ports/gateway.js";
import { catalogueFor, type ServiceAccounts } from "../../service/accounts.js";
import type { Customer } from "../context.js";
import { resultMessageOf } from "../orders/order-store.js";
import type { TopUps } from "../payments/top-ups.js";
import { NotConnectedError } from "../people/balance-words.js";
import type { Person } from "../people/people.js";
import { leftKopecks, type Spending } from "../people/spending.js";
import { isNothingToEdit } from "../telegram/failure.js";
import { type ChatPlace, inTopic, isInGroup, replyTo } from "../telegram/place.js";
import { editOrIgnore } from "../telegram/tap-answers.js";
import type { Language, Texts } from "../texts/texts.js";
import { cardData } from "./callback-data.js";
import type { Draft, Drafts } from "./draft-store.js";
import { wordsTaken } from "./form/change-model.js";
import { fieldsOf, mainTextOf, withMainText } from "./form/fields.js";
import { onlyResultIn } from "./form/picture-fields.js";
import type { PictureShapes } from "./pictures.js";
import { type CardMessage, renderCard, showsBalance } from "./render-card.js";

const REMEMBERED = 1000;

/** Leaves the button that returns to the card under the last notice only. Forgotten at a restart. */
export class GoOnNotices {
  readonly #lastOf = new BoundedMap<number, number>(REMEMBERED);

  constructor(private readonly api: Api) {}

  /** Notes that a notice was sent to a person. Must be called for each. Never rejects. */
  async sent(userId: number, messageId: number, hasButton: boolean): Promise<void> {
    const before = this.#lastOf.get(userId);
    if (hasButton) this.#lastOf.set(userId, messageId);
    else this.#lastOf.delete(userId);
    if (before !== undefined) await this.api.editMessageReplyMarkup(userId, before).catch(() => {});
  }
}

/** Offers to go on with the open card of a person's private chat. Undefined without one that has a main text. */
export function goOnKeyboard(drafts: Drafts, { id }: Person, { t }: Language): InlineKeyboard | undefined {
  const draft = drafts.composing(id, id);
  if (!draft || mainTextOf(draft.parameters, undefined) === undefined) return undefined;
  const data = cardData.encode({ action: "show", draftId: draft.id, revision: draft.revision });
  return new InlineKeyboard().text(t("button-go-on"), data);
}

/** Milliseconds that a card waits for the next picture of an album, each of which is an update of its own. */
const ALBUM_PAUSE_MS = 600;

interface CardMessagesParts {
  api: Api;
  drafts: Drafts;
  accounts: ServiceAccounts;
  spending: Spending | undefined;
  texts: Texts;
  clock: Clock;
  logger: Logger;
  supportContact: string | undefined;
  topUps: TopUps;
  shapes: Pick<PictureShapes, "ofFirst">;
  database: Database;
}

export interface Opening extends Partial<Pick<Draft, "parameters" | "view" | "chosen" | "pictureMessages">> {
  type: GenerationType;
  model?: Model;
  text?: string | undefined;
  messageId?: number | undefined;
}

export class CardMessages {
  readonly #soon = new Map<number, CancelTimer>();

  constructor(private readonly parts: CardMessagesParts) {}

  async models(customer: Pick<Customer, "gateway">, type: GenerationType): Promise<Model[]> {
    return (await this.allModels(customer)).filter((model) => model.type === type);
  }

  /** Lists the models of every type. A person without an account sees what others were shown. */
  async allModels({ gateway }: Pick<Customer, "gateway">): Promise<readonly Model[]> {
    const isOpen = gateway !== NOT_CONNECTED;
    const models = isOpen ? await gateway.models() : catalogueFor(this.parts.accounts);
    if (!isOpen && models.length === 0) throw new NotConnectedError();
    return models;
  }

  /** Opens a draft and sends its card. Deletes the card of the draft that it replaces. */
  async open(customer: Customer, place: ChatPlace, opening: Opening): Promise<Draft> {
    const { type, model, text, messageId = null, pictureMessages = {}, chosen = [] } = opening;
    const given = opening.parameters ?? {};
    const parameters = text === undefined ? given : withMainText(given, undefined, text);
    const { draft, replaced } = await this.parts.drafts.open({
      ...place,
      userId: customer.person.id,
      view: model ? (opening.view ?? { kind: "card" }) : { kind: "models", page: 0 },
      type,
      modelKey: model?.model_key ?? null,
      parameters:
        model && text !== undefined ? wordsTaken(fieldsOf(model), { parameters, chosen }) : parameters,
      promptMessageId: text === undefined ? null : messageId,
      takenMessageId: messageId,
      pictureMessages,
      chosen,
    });
    await this.#post(draft, customer);
    if (replaced?.messageId) await this.#remove(replaced.chatId, replaced.messageId);
    return draft;
  }

  /** Sends the card again at the end of the chat and deletes the old message. */
  async repost(draft: Draft, customer: Customer): Promise<void> {
    const isShown = await this.#post(draft, customer);
    if (isShown && draft.messageId !== null) await this.#remove(draft.chatId, draft.messageId);
  }

  repostSoon({ id }: Draft, { person, gateway }: Customer): void {
    const { clock, drafts, logger } = this.parts;
    this.#soon.get(id)?.();
    const cancel = clock.after(ALBUM_PAUSE_MS, () => {
      this.#soon.delete(id);
      const draft = drafts.find(id);
      if (draft?.state !== "composing") return;
      this.repost(draft, { person, gateway }).catch((error: unknown) =>
        logger.warn({ draft_id: id, err: error }, "card not sent again"),
      );
    });
    this.#soon.set(id, cancel);
  }

  /** Cancels pending reposts. The next tap on an old card updates it. */
  stop(): void {
    for (const cancel of this.#soon.values()) cancel();
    this.#soon.clear();
  }

  /** Edits the card in place, or sends it again when its message is gone. */
  async refresh(draft: Draft, customer: Customer): Promise<void> {
    const { api, logger } = this.parts;
    if (draft.messageId === null) return void (await this.#post(draft, customer));
    const { text, keyboard } = await this.#render(draft, customer);
    try {
      await api.editMessageText(draft.chatId, draft.messageId, text, {
        parse_mode: "HTML",
        reply_markup: keyboard,
      });
    } catch (error) {
      if (!isNothingToEdit(error)) throw error;
      if (!String(error).includes("not modified")) return void (await this.#post(draft, customer));
      logger.debug({ draft_id: draft.id }, "card already up to date");
    }
  }

  async close(draft: Draft, text: string): Promise<void> {
    if (draft.messageId === null) return;
    await editOrIgnore(this.parts.api.editMessageText(draft.chatId, draft.messageId, text));
  }

  /** Returns false, and deletes the message, when the draft has changed or is shown elsewhere meanwhile. */
  async #post(draft: Draft, customer: Customer): Promise<boolean> {
    const { api, drafts, database } = this.parts;
    const { text, keyboard } = await this.#render(draft, customer);
    // After several edits only the picture tells which one a card is about.
    const jobId = onlyResultIn(draft.parameters);
    const message = await api.sendMessage(draft.chatId, text, {
      ...inTopic(draft),
      ...replyTo(jobId === undefined ? null : resultMessageOf(database, jobId, draft)),
      parse_mode: "HTML",
      reply_markup: keyboard,
      link_preview_options: { is_disabled: true },
    });
    const isShown = await drafts.setMessage(draft, message.message_id);
    if (!isShown) await this.#remove(draft.chatId, message.message_id);
    return isShown;
  }

  async #render(draft: Draft, { person, gateway }: Customer): Promise<CardMessage> {
    const { accounts, spending, texts, supportContact, topUps, shapes } = this.parts;
    const language = texts.in(person.locale);
    const allModels = await this.allModels({ gateway });
    const models = allModels.filter(({ type }) => type === draft.type);
    const isShown = gateway !== NOT_CONNECTED && showsBalance(draft, models);
    const balance = isShown ? await gateway.balance() : undefined;
    return renderCard(draft, {
      models,
      allModels,
      pictureShape: shapes.ofFirst(draft.parameters),
      balanceKopecks: balance && kopecksOf(balance.amount),
      owedKopecks: kopecksOf(balance?.owed ?? 0),
      limitLeftKopecks: spending && leftKopecks(spending.allowanceOf(person.id)),
      language,
      supportContact,
      topUps,
      isGroup: isInGroup(draft),
      ownerName: person.name,
      isBanned:
        !isInGroup(draft) && accounts.kind === "managed" && accounts.users.banOf(person.id) !== undefined,
    });
  }

  async #remove(chatId: number, messageId: number): Promise<void> {
    const { api, logger } = this.parts;
    await api
      .deleteMessage(chatId, messageId)
      .catch((error: unknown) => logger.debug({ err: error }, "old card not removed"));
  }
}
