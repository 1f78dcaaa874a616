import type { Api } from "grammy";
import { type Gateways, NOT_CONNECTED } from "../../contract/gateway.js";
import { GENERATION_TYPES, type GenerationType, type Model } from "../../contract/model.js";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { kopecksOf } from "../../platform/money.js";
import { inTopic, isInGroup } from "../context.js";
import type { Person } from "../people/people.js";
import { isNothingToEdit } from "../telegram/failure.js";
import type { Texts } from "../texts.js";
import { renderCard, showsBalance } from "./card.js";
import type { CardMessage } from "./card-parts.js";
import type { Draft, Place } from "./draft.js";
import type { Drafts } from "./drafts.js";
import { startingParameters } from "./form.js";

/** The pictures of an album are updates of their own: the card waits this long for one more, in ms. */
const ALBUM_PAUSE_MS = 600;

interface CardDeskParts {
  api: Api;
  drafts: Drafts;
  gateways: Gateways;
  texts: Texts;
  clock: Clock;
  logger: Logger;
  supportContact: string | undefined;
}

/** How a new card begins. */
export interface Opening {
  type: GenerationType;
  /** Without a model the card begins with the list of models. */
  model?: Model;
  parameters?: Draft["parameters"];
  prompt?: string;
  /** The message that it begins with. */
  messageId?: number;
}

/** Shows drafts as cards: sends them, edits them in place, and puts old ones away. */
export class CardDesk {
  readonly #parts: CardDeskParts;
  /** The models of each type, by the list they were found in: it changes as a whole or not at all. */
  readonly #ofType = new WeakMap<readonly Model[], ReadonlyMap<GenerationType, readonly Model[]>>();
  readonly #soon = new Map<number, CancelTimer>();

  constructor(parts: CardDeskParts) {
    this.#parts = parts;
  }

  /** The models that a person can choose from. */
  async models(person: Person, type: GenerationType): Promise<readonly Model[]> {
    const gateway = await this.#parts.gateways.of(person);
    if (gateway === NOT_CONNECTED) return [];
    return this.#modelsOfType(await gateway.models(), type);
  }

  #modelsOfType(models: readonly Model[], type: GenerationType): readonly Model[] {
    const known = this.#ofType.get(models);
    if (known) return known.get(type) ?? [];
    const ofType = new Map(
      GENERATION_TYPES.map((one) => [one, models.filter((model) => model.type === one)] as const),
    );
    this.#ofType.set(models, ofType);
    return ofType.get(type) ?? [];
  }

  /** Opens a draft and sends its card. The card of a draft that it replaces loses its buttons. */
  async open(person: Person, place: Place, opening: Opening): Promise<Draft> {
    const { type, model, prompt, messageId = null } = opening;
    const { draft, replaced } = await this.#parts.drafts.open({
      ...place,
      userId: person.id,
      view: model ? { kind: "card" } : { kind: "models", page: 0 },
      type,
      modelKey: model?.model_key ?? null,
      parameters: opening.parameters ?? (model ? this.startingParameters(person, model) : {}),
      prompt: prompt ?? null,
      promptMessageId: prompt === undefined ? null : messageId,
      takenMessageId: messageId,
    });
    await this.#post(draft, person);
    if (replaced?.messageId) await this.#remove(replaced.chatId, replaced.messageId);
    return draft;
  }

  /** Sends the card anew, at the end of the chat, and removes the old message. */
  async repost(draft: Draft, person: Person): Promise<void> {
    const isShown = await this.#post(draft, person);
    if (isShown && draft.messageId !== null) await this.#remove(draft.chatId, draft.messageId);
  }

  /** `repost` once no other message has come for a moment. */
  repostSoon({ id }: Draft, person: Person): void {
    const { clock, drafts, logger } = this.#parts;
    this.#soon.get(id)?.();
    const cancel = clock.after(ALBUM_PAUSE_MS, () => {
      this.#soon.delete(id);
      const draft = drafts.find(id);
      if (draft?.state !== "composing") return;
      this.repost(draft, person).catch((error: unknown) =>
        logger.warn({ draft_id: id, err: error }, "card not sent anew"),
      );
    });
    this.#soon.set(id, cancel);
  }

  /** Forgets the cards that were to be sent soon: a tap on an old one brings it up to date. */
  stop(): void {
    for (const cancel of this.#soon.values()) cancel();
    this.#soon.clear();
  }

  /** Edits the card in place, or sends it anew when its message is gone. */
  async refresh(draft: Draft, person: Person): Promise<void> {
    const { api, logger } = this.#parts;
    if (draft.messageId === null) return void (await this.#post(draft, person));
    const { text, keyboard } = await this.#render(draft, person);
    try {
      await api.editMessageText(draft.chatId, draft.messageId, text, {
        parse_mode: "HTML",
        reply_markup: keyboard,
      });
    } catch (error) {
      if (!isNothingToEdit(error)) throw error;
      if (!String(error).includes("not modified")) return void (await this.#post(draft, person));
      logger.debug({ draft_id: draft.id }, "card was already as it should be");
    }
  }

  /** Puts last words in the place of a draft's own card, whichever message was tapped. */
  async close(draft: Draft, text: string): Promise<void> {
    if (draft.messageId === null) return;
    try {
      await this.#parts.api.editMessageText(draft.chatId, draft.messageId, text);
    } catch (error) {
      if (!isNothingToEdit(error)) throw error;
    }
  }

  /** What the card of a model starts with: its defaults, then what its person used last. */
  startingParameters(person: Person, model: Model): Draft["parameters"] {
    return startingParameters(model, this.#parts.drafts.lastParameters(person.id, model.model_key));
  }

  /**
   * Sends the card. False when the draft was changed, paid or shown elsewhere while it was sent: then the message
   * is put away again, since whoever did that shows what came of it.
   */
  async #post(draft: Draft, person: Person): Promise<boolean> {
    const { api, drafts } = this.#parts;
    const { text, keyboard } = await this.#render(draft, person);
    const message = await api.sendMessage(draft.chatId, text, {
      ...inTopic(draft),
      parse_mode: "HTML",
      reply_markup: keyboard,
      link_preview_options: { is_disabled: true },
    });
    const isShown = await drafts.setMessage(draft, message.message_id);
    if (!isShown) await this.#remove(draft.chatId, message.message_id);
    return isShown;
  }

  async #render(draft: Draft, person: Person): Promise<CardMessage> {
    const { gateways, texts, supportContact } = this.#parts;
    const gateway = await gateways.of(person);
    const language = texts.in(person.locale);
    if (gateway === NOT_CONNECTED) throw new Error("a card for somebody without an account");
    const models = this.#modelsOfType(await gateway.models(), draft.type);
    const balance = showsBalance(draft, models) ? await gateway.balance() : undefined;
    return renderCard(draft, {
      models,
      balanceKopecks: balance && kopecksOf(balance.amount),
      language,
      isLocalPreview: gateways.isLocalPreview,
      supportContact,
      isGroup: isInGroup(draft),
      ownerName: person.name,
    });
  }

  /** An old card only confuses; that it cannot be deleted (any more) is no fault. */
  async #remove(chatId: number, messageId: number): Promise<void> {
    const { api, logger } = this.#parts;
    await api
      .deleteMessage(chatId, messageId)
      .catch((error: unknown) => logger.debug({ err: error }, "old card not removed"));
  }
}
