import type { GenerationType, ParameterValue } from "../../../contract/model.js";
import type { Database } from "../../../database/database.js";
import type { Transaction } from "../../../database/transaction.js";
import type { Clock } from "../../../platform/clock.js";
import { type Integer, integer } from "../../../platform/integer.js";
import { DAY_MS, MINUTE_MS } from "../../../platform/units.js";
import type { ChatPlace } from "../../telegram/place.js";
import { type Draft, MAIN_TEXTS, storedParameters, type View, writeView } from "./draft.js";
import {
  changeDraft,
  composingDraft,
  countUnpaidDrafts,
  deleteClosedDrafts,
  draftById,
  draftOf,
  insertDraft,
  lastOrderedDraft,
  moveDraft,
  saveLastParameters,
  selectLastModels,
  selectLastParameters,
  setDraftMessage,
} from "./draft-table.js";

/** A closed draft is kept this long to explain its old card, in ms. */
const CLOSED_KEPT_MS = 30 * DAY_MS;

export interface NewDraft extends ChatPlace {
  userId: number;
  view: View;
  type: GenerationType;
  modelKey: string | null;
  parameters: Readonly<Record<string, ParameterValue>>;
  promptMessageId: number | null;
  takenMessageId: number | null;
  pictureMessages?: Draft["pictureMessages"];
  chosen?: readonly string[];
}

export type DraftChange = Partial<
  Pick<
    Draft,
    | "state"
    | "view"
    | "modelKey"
    | "parameters"
    | "chosen"
    | "promptMessageId"
    | "takenMessageId"
    | "pictureMessages"
  >
>;

/** The person has put away this many unpaid drafts within a minute. */
export class TooManyDraftsError extends Error {
  override readonly name = "TooManyDraftsError";

  constructor(readonly max: number) {
    super(`more than ${max} drafts a minute`);
  }
}

/** Stores drafts. A person composes at most one per chat. Changes are compare-and-set on the revision. */
export class Drafts {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #perMinuteMax: number;

  /** @param perMinuteMax unpaid drafts of a person within a minute; 0: any number */
  constructor(database: Database, clock: Clock, perMinuteMax = 0) {
    this.#database = database;
    this.#clock = clock;
    this.#perMinuteMax = perMinuteMax;
  }

  find(id: number): Draft | undefined {
    const row = this.#database.first(draftById, { id });
    return row && draftOf(row);
  }

  composing(userId: number, chatId: number): Draft | undefined {
    const row = this.#database.first(composingDraft, { user_id: userId, chat_id: chatId });
    return row && draftOf(row);
  }

  /** Finds the draft ordered last in a chat. */
  lastOrdered(userId: number, chatId: number): Draft | undefined {
    const row = this.#database.first(lastOrderedDraft, { user_id: userId, chat_id: chatId });
    return row && draftOf(row);
  }

  /** Opens a draft. The one being composed in the chat becomes `replaced`. Throws TooManyDraftsError. */
  open(draft: NewDraft): Promise<{ draft: Draft; replaced: Draft | undefined }> {
    return this.#database.write("draft-open", (tx) => {
      this.#requireRoom(tx, draft.userId);
      const old = tx.first(composingDraft, { user_id: draft.userId, chat_id: draft.chatId });
      const replaced = old && draftOf(old);
      if (replaced) this.changeIn(tx, replaced, { state: "replaced" });
      return { draft: this.insertIn(tx, draft, "composing"), replaced };
    });
  }

  #requireRoom(tx: Transaction, userId: number): void {
    const max = this.#perMinuteMax;
    if (max === 0) return;
    const since = integer(this.#clock.now() - MINUTE_MS);
    const unpaid = tx.first(countUnpaidDrafts, { user_id: userId, since })?.drafts ?? 0;
    if (unpaid >= max) throw new TooManyDraftsError(max);
  }

  /** Inserts a draft. One that begins as `ordered` leaves the one being composed alone. */
  insertIn(tx: Transaction, draft: NewDraft, state: "composing" | "ordered"): Draft {
    const begun = { chosen: [], pictureMessages: {}, ...draft, messageId: null, state, revision: 1 };
    const id = tx.insert(insertDraft, {
      ...this.#columnsOf(begun),
      user_id: draft.userId,
      chat_id: draft.chatId,
      thread_id: draft.threadId,
      state,
      type: draft.type,
    });
    return { ...begun, id };
  }

  /** Compares and sets: returns undefined when the draft's revision is no longer the given one. */
  async change(draft: Draft, change: DraftChange): Promise<Draft | undefined> {
    const changed = await this.#database.write("draft", (tx) => this.changeIn(tx, draft, change));
    // `messageId` is not part of the comparison, so it may have changed since the draft was read.
    return changed && { ...changed, messageId: this.find(changed.id)?.messageId ?? changed.messageId };
  }

  changeIn(tx: Transaction, draft: Draft, change: DraftChange): Draft | undefined {
    const { id, state, revision } = draft;
    const next = { ...draft, ...change };
    if (tx.run(changeDraft, { ...this.#columnsOf(next), id }) === 0) return undefined;
    if (next.state !== state) tx.run(moveDraft, { id, state: next.state });
    return { ...next, revision: revision + 1 };
  }

  /** Returns an ordered draft to `composing`. Undefined when a newer one has replaced it. */
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

  /** Marks a draft as `ordered` again, when its order goes on. */
  closeIn(tx: Transaction, draftId: number): void {
    const row = tx.first(draftById, { id: draftId });
    if (row?.state === "composing") this.changeIn(tx, draftOf(row), { state: "ordered" });
  }

  /** Keeps the revision. Returns false when the draft or its message has changed since `drawn`. */
  setMessage(drawn: Draft, messageId: number): Promise<boolean> {
    const { id, revision } = drawn;
    return this.#database.write("draft-message", (tx) => {
      const shown = { id, revision, before: drawn.messageId, message_id: messageId };
      return tx.run(setDraftMessage, shown) === 1;
    });
  }

  messageIn(tx: Transaction, draftId: number): number | null {
    return tx.first(draftById, { id: draftId })?.message_id ?? null;
  }

  lastParameters(userId: number, modelKey: string): Readonly<Record<string, ParameterValue>> {
    const row = this.#database.first(selectLastParameters, { user_id: userId, model_key: modelKey });
    return row ? storedParameters.parse(JSON.parse(row.parameters)) : {};
  }

  /** Keys of the models that the person paid for, newest first. */
  lastModels(userId: number): string[] {
    return this.#database.all(selectLastModels, { user_id: userId }).map(({ model_key }) => model_key);
  }

  /** Keeps the settings for the next card. What the person wrote goes with the draft. */
  rememberIn(tx: Transaction, { userId, modelKey, parameters }: Draft): void {
    if (modelKey === null) return;
    const settings = Object.entries(parameters).filter(([name]) => !MAIN_TEXTS.some((text) => text === name));
    tx.run(saveLastParameters, {
      user_id: userId,
      model_key: modelKey,
      parameters: JSON.stringify(Object.fromEntries(settings)),
      used_at: this.#clock.now(),
    });
  }

  async sweep(now: Integer): Promise<void> {
    const before = now - CLOSED_KEPT_MS;
    await this.#database.write("draft-sweep", (tx) => tx.run(deleteClosedDrafts, { before }));
  }

  #columnsOf(draft: Omit<Draft, "id">) {
    return {
      view: writeView(draft.view),
      model_key: draft.modelKey,
      parameters: JSON.stringify(draft.parameters),
      prompt_message_id: draft.promptMessageId,
      taken_message_id: draft.takenMessageId,
      picture_messages: JSON.stringify(draft.pictureMessages),
      chosen: JSON.stringify(draft.chosen),
      revision: draft.revision,
      updated_at: this.#clock.now(),
    };
  }
}
