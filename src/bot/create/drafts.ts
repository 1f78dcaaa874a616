import type { GenerationType, ParameterValue } from "../../contract/model.js";
import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import { type Draft, type Place, storedParameters, type View, writeView } from "./draft.js";
import {
  composingDraft,
  deleteClosedDrafts,
  draftById,
  draftOf,
  insertDraft,
  saveLastParameters,
  selectLastModels,
  selectLastParameters,
  setDraftMessage,
  updateDraft,
} from "./draft-rows.js";

/** How long a draft that is no longer composed is kept to explain its old card, in ms. */
const CLOSED_KEPT_MS = 30 * 24 * 3600 * 1000;

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

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  find(id: number): Draft | undefined {
    const row = this.#database.first(draftById, { id });
    return row && draftOf(row);
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
      const row = tx.first(insertDraft, {
        user_id: draft.userId,
        chat_id: draft.chatId,
        thread_id: draft.threadId,
        view: writeView(draft.view),
        type: draft.type,
        model_key: draft.modelKey,
        parameters: JSON.stringify(draft.parameters),
        prompt: draft.prompt,
        prompt_message_id: draft.promptMessageId,
        taken_message_id: draft.takenMessageId,
        updated_at: this.#clock.now(),
      });
      if (!row) throw new Error("the new draft was not answered");
      return { draft: draftOf(row), replaced };
    });
  }

  /** Compare-and-set: answers the new revision, or `undefined` when somebody was faster. */
  change(draft: Draft, change: DraftChange): Promise<Draft | undefined> {
    return this.#database.write("draft", (tx) => this.changeIn(tx, draft, change));
  }

  /** `change` inside a transaction of the caller's. */
  changeIn(tx: Transaction, draft: Draft, change: DraftChange): Draft | undefined {
    const next = { ...draft, ...change };
    const row = tx.first(updateDraft, {
      id: draft.id,
      revision: draft.revision,
      state: next.state,
      view: writeView(next.view),
      model_key: next.modelKey,
      parameters: JSON.stringify(next.parameters),
      prompt: next.prompt,
      prompt_message_id: next.promptMessageId,
      taken_message_id: next.takenMessageId,
      updated_at: this.#clock.now(),
    });
    return row && draftOf(row);
  }

  /** Lets an ordered draft be composed on, unless its person has begun another one there since. */
  reopenIn(tx: Transaction, draftId: number): Draft | undefined {
    const row = tx.first(draftById, { id: draftId });
    if (row?.state !== "ordered") return undefined;
    if (tx.first(composingDraft, { user_id: row.user_id, chat_id: row.chat_id })) return undefined;
    return this.changeIn(tx, draftOf(row), { state: "composing" });
  }

  /** Remembers which message shows the draft. It is no change of the draft itself. */
  async setMessage(draftId: number, messageId: number): Promise<void> {
    await this.#database.write("draft-message", (tx) =>
      tx.run(setDraftMessage, { id: draftId, message_id: messageId }),
    );
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
    await this.#database.write("draft-sweep", (tx) => tx.run(deleteClosedDrafts, { before }));
  }
}
