import type { GenerationType, ParameterValue } from "../../contract/model.js";
import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import { Recent } from "../../platform/recent.js";
import { type Draft, type Place, storedParameters, type View, writeView } from "./draft.js";
import {
  changeDraft,
  composingDraft,
  deleteClosedDrafts,
  draftById,
  draftOf,
  insertDraft,
  moveDraft,
  saveLastParameters,
  selectLastModels,
  selectLastParameters,
  setDraftMessage,
} from "./draft-rows.js";

/** How long a draft that is no longer composed is kept to explain its old card, in ms. */
const CLOSED_KEPT_MS = 30 * 24 * 3600 * 1000;

/** How many drafts are kept in memory. */
const REMEMBERED = 2000;

/** What a new draft starts with. */
export interface NewDraft extends Place {
  userId: number;
  view: View;
  type: GenerationType;
  modelKey: string | null;
  parameters: Readonly<Record<string, ParameterValue>>;
  prompt: string | null;
  promptMessageId: number | null;
  takenMessageId: number | null;
}

export type DraftChange = Partial<
  Pick<Draft, "state" | "view" | "modelKey" | "parameters" | "prompt" | "promptMessageId" | "takenMessageId">
>;

/** Drafts as rows: one being composed per person and chat, changed only by compare-and-set. */
export class Drafts {
  readonly #database: Database;
  readonly #clock: Clock;
  /**
   * As of the last commit: nothing but this object writes these rows while the bot runs. Behind a commit that failed,
   * and may have reached the disk all the same, they are read again. Changed in place and handed out as copies: an
   * object that lives for one tap costs the garbage collector most.
   */
  readonly #known = new Recent<number, Draft>(REMEMBERED);

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    database.onFailedCommit(() => this.#known.clear());
  }

  find(id: number): Draft | undefined {
    const known = this.#known.get(id);
    if (known) return { ...known };
    const row = this.#database.first(draftById, { id });
    const draft = row && draftOf(row);
    if (draft) this.#remember(draft);
    return draft;
  }

  /** The draft that this person is composing in this chat. */
  composing(userId: number, chatId: number): Draft | undefined {
    const row = this.#database.first(composingDraft, { user_id: userId, chat_id: chatId });
    return row && draftOf(row);
  }

  /** Opens a draft in place of the one that was being composed there, which is answered too. */
  open(draft: NewDraft): Promise<{ draft: Draft; replaced: Draft | undefined }> {
    return this.#database.write("draft-open", (tx) => {
      const old = tx.first(composingDraft, { user_id: draft.userId, chat_id: draft.chatId });
      const replaced = old && draftOf(old);
      if (replaced) this.changeIn(tx, replaced, { state: "replaced" });
      const begun = { ...draft, messageId: null, state: "composing", revision: 1 } as const;
      const id = tx.insert(insertDraft, {
        ...this.#columnsOf(begun),
        user_id: draft.userId,
        chat_id: draft.chatId,
        thread_id: draft.threadId,
        state: begun.state,
        type: draft.type,
      });
      const opened = { ...begun, id };
      tx.afterCommit(() => this.#remember(opened));
      return { draft: opened, replaced };
    });
  }

  /** Compare-and-set: answers the new revision, or `undefined` when somebody was faster. */
  async change(draft: Draft, change: DraftChange): Promise<Draft | undefined> {
    const changed = await this.#database.write("draft", (tx) => this.changeIn(tx, draft, change));
    // The message may have become known since `draft` was read: it is no part of what is compared.
    return changed && { ...changed, messageId: this.find(changed.id)?.messageId ?? changed.messageId };
  }

  /** `change` inside a transaction of the caller's. */
  changeIn(tx: Transaction, draft: Draft, change: DraftChange): Draft | undefined {
    const { id, state, revision } = draft;
    const next = { ...draft, ...change };
    if (tx.run(changeDraft, { ...this.#columnsOf(next), id }) === 0) return undefined;
    if (next.state !== state) tx.run(moveDraft, { id, state: next.state });
    next.revision = revision + 1;
    tx.afterCommit(() => {
      const known = this.#known.get(id);
      if (known) Object.assign(known, next, { messageId: known.messageId });
    });
    return next;
  }

  /**
   * Lets an ordered draft be composed on. One whose person has begun another one there since counts as replaced
   * by that: `undefined`.
   */
  reopenIn(tx: Transaction, draftId: number): Draft | undefined {
    const row = tx.first(draftById, { id: draftId });
    if (row?.state !== "ordered") return undefined;
    const draft = draftOf(row);
    if (!tx.first(composingDraft, { user_id: row.user_id, chat_id: row.chat_id })) {
      return this.changeIn(tx, draft, { state: "composing" });
    }
    this.changeIn(tx, draft, { state: "replaced" });
    return undefined;
  }

  /**
   * Remembers which message shows the draft, unless it has changed since it was `drawn` or another message shows
   * it by now. It is no change of the draft itself.
   */
  setMessage(drawn: Draft, messageId: number): Promise<boolean> {
    const { id, revision } = drawn;
    return this.#database.write("draft-message", (tx) => {
      const shown = { id, revision, before: drawn.messageId, message_id: messageId };
      if (tx.run(setDraftMessage, shown) === 0) return false;
      tx.afterCommit(() => {
        const known = this.#known.get(id);
        if (known) known.messageId = messageId;
      });
      return true;
    });
  }

  /** The message that shows a draft, as the transaction sees it: it may have become known since the draft was read. */
  messageIn(tx: Transaction, draftId: number): number | null {
    return tx.first(draftById, { id: draftId })?.message_id ?? null;
  }

  /** What the person used last with a model, or an empty object. */
  lastParameters(userId: number, modelKey: string): Readonly<Record<string, ParameterValue>> {
    const row = this.#database.first(selectLastParameters, { user_id: userId, model_key: modelKey });
    return row ? storedParameters.parse(JSON.parse(row.parameters)) : {};
  }

  /** The models that the person paid for, newest first. */
  lastModels(userId: number): string[] {
    return this.#database.all(selectLastModels, { user_id: userId }).map(({ model_key }) => model_key);
  }

  rememberIn(tx: Transaction, { userId, modelKey, parameters }: Draft): void {
    if (modelKey === null) return;
    tx.run(saveLastParameters, {
      user_id: userId,
      model_key: modelKey,
      parameters: JSON.stringify(parameters),
      used_at: this.#clock.now(),
    });
  }

  async sweep(): Promise<void> {
    const before = this.#clock.now() - CLOSED_KEPT_MS;
    await this.#database.write("draft-sweep", (tx) => {
      tx.run(deleteClosedDrafts, { before });
      tx.afterCommit(() => this.#known.clear());
    });
  }

  /** What every write of a draft writes. */
  #columnsOf(draft: Omit<Draft, "id">) {
    return {
      view: writeView(draft.view),
      model_key: draft.modelKey,
      parameters: JSON.stringify(draft.parameters),
      prompt: draft.prompt,
      prompt_message_id: draft.promptMessageId,
      taken_message_id: draft.takenMessageId,
      revision: draft.revision,
      updated_at: this.#clock.now(),
    };
  }

  #remember(draft: Draft): void {
    this.#known.set(draft.id, { ...draft });
  }
}
