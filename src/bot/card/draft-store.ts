import { type Generated, type Selectable, sql } from "kysely";
import { z } from "zod";
import type { GenerationType, Model, ParameterValue } from "../../contract/model.js";
import { storedValue } from "../../contract/request.js";
import type { Database, Transaction } from "../../database/database.js";
import { JsonColumn } from "../../database/json-column.js";
import { prepare, qb } from "../../database/prepared.js";
import { atMost, lessThan, moreThan, not, table } from "../../database/table.js";
import { type DataSection, linesByPage, PAGE_ROWS } from "../../gather/personal-data-service.js";
import type { Clock } from "../../platform/clock.js";
import { type Integer, integer } from "../../platform/integer.js";
import { DAY_MS, MINUTE_MS } from "../../platform/units.js";
import type { ChatPlace } from "../telegram/place.js";

/** What the card shows. `more`: the rare settings. `replace` asks whether the text replaces the main text. */
export type View =
  | { kind: "models"; page: number }
  | { kind: "card" }
  | { kind: "more" }
  | { kind: "text" }
  | { kind: "parameter"; name: string }
  | { kind: "replace"; text: string; messageId: number };

/** A picture that a message brought, in the format of `parameters`. Other messages may bring the same file. */
const storedPicture = z.object({ picture: z.string(), uniqueId: z.string() });
export type SentPicture = Readonly<z.infer<typeof storedPicture>>;

export interface Draft extends ChatPlace {
  id: number;
  userId: number;
  /** Null until the card has been sent. */
  messageId: number | null;
  /** The state: only a `composing` draft can be changed and paid. The others explain old cards. */
  state: DraftState;
  view: View;
  type: GenerationType;
  modelKey: string | null;
  /** Values by name. The main text has its own name, or `prompt` while no model is chosen. */
  parameters: Readonly<Record<string, ParameterValue>>;
  /** Names of the settings that the person chose on this card. */
  chosen: readonly string[];
  /** An edit of this message changes the main text. */
  promptMessageId: number | null;
  /** Pictures by the ids of their messages. An edit of a message replaces its picture. */
  pictureMessages: Readonly<Record<string, SentPicture>>;
  /** The newest message applied. An update that runs again after a crash is ignored. */
  takenMessageId: number | null;
  /** The message that asks in a group for what the card asks for. Null where none does. */
  questionId: number | null;
  /** How many answers were refused since the card last changed. */
  refusals: number;
  revision: number;
}

/** What a person has put together so far. */
export type Composed = Pick<Draft, "parameters" | "chosen">;

/** The parameters that hold a main text, in the contract's names. */
export const MAIN_TEXTS = ["prompt", "lyrics", "description"] as const;

type DraftState = "composing" | "ordered" | "cancelled" | "replaced";

const WHOLE_VIEWS = ["more", "text"] as const;

/** Writes a view, such as `models:2`, `card`, `more`, `text`, `parameter:resolution`, `replace:7:fox`. */
function writeView(view: View): string {
  if (view.kind === "models") return `models:${view.page}`;
  if (view.kind === "parameter") return `parameter:${view.name}`;
  if (view.kind === "replace") return `replace:${view.messageId}:${view.text}`;
  return view.kind;
}

function readView(stored: string): View {
  const colon = stored.indexOf(":");
  if (colon < 0) return { kind: WHOLE_VIEWS.find((kind) => kind === stored) ?? "card" };
  const rest = stored.slice(colon + 1);
  if (stored.startsWith("models:")) return { kind: "models", page: Number(rest) || 0 };
  const [, messageId, text] = /^replace:(\d+):(.+)$/.exec(stored) ?? [];
  if (text !== undefined) return { kind: "replace", text, messageId: Number(messageId) };
  return stored.startsWith("parameter:") ? { kind: "parameter", name: rest } : { kind: "card" };
}

/** Finds the model. Undefined when the draft has none or its model has left the catalogue. */
export function modelOf({ modelKey }: Pick<Draft, "modelKey">, models: readonly Model[]): Model | undefined {
  return models.find(({ model_key }) => model_key === modelKey);
}

interface DraftTable {
  id: Generated<number>;
  user_id: number;
  chat_id: number;
  thread_id: number | null;
  message_id: number | null;
  state: DraftState;
  view: string;
  type: GenerationType;
  model_key: string | null;
  parameters: string;
  prompt_message_id: number | null;
  taken_message_id: number | null;
  picture_messages: string;
  chosen: string;
  question_id: number | null;
  refusals: Generated<number>;
  revision: number;
  updated_at: Integer;
}
type DraftRow = Selectable<DraftTable>;

interface LastParametersRow {
  user_id: number;
  model_key: string;
  parameters: string;
  used_at: Integer;
}

declare module "../../database/prepared.js" {
  interface Schema {
    draft: DraftTable;
    last_parameters: LastParametersRow;
  }
}

const storedParameters: z.ZodType<Draft["parameters"]> = z.record(z.string(), storedValue);
const PARAMETERS = new JsonColumn("draft", "parameters", storedParameters);
const PICTURE_MESSAGES = new JsonColumn("draft", "picture_messages", z.record(z.string(), storedPicture));
const CHOSEN = new JsonColumn("draft", "chosen", z.array(z.string()));
const LAST_PARAMETERS = new JsonColumn("last_parameters", "parameters", storedParameters);
export const DRAFT_COLUMNS = [PARAMETERS, PICTURE_MESSAGES, CHOSEN, LAST_PARAMETERS];

const drafts = table("draft", ["state"]);
const lastParameters = table("last_parameters");

// A literal, since SQLite uses a partial index only when the query states its condition.
const UNPAID = [sql.lit("cancelled" as const), sql.lit("replaced" as const)];

type Unpaid = { user_id: number; since: Integer; until: Integer };
/** Counts the drafts of a person that were put away unpaid in that time. A test checks that it uses its index. */
export const countUnpaidDrafts = prepare<Unpaid, { drafts: number }>((p) =>
  qb
    .selectFrom("draft")
    .select((eb) => eb.fn.countAll<number>().as("drafts"))
    .where("user_id", "=", p.user_id)
    .where("state", "in", UNPAID)
    .where("updated_at", ">", p.since)
    .where("updated_at", "<=", p.until),
);

function draftOf(row: DraftRow): Draft {
  return {
    id: row.id,
    userId: row.user_id,
    chatId: row.chat_id,
    threadId: row.thread_id,
    messageId: row.message_id,
    state: row.state,
    view: readView(row.view),
    type: row.type,
    modelKey: row.model_key,
    parameters: PARAMETERS.read(row.parameters),
    promptMessageId: row.prompt_message_id,
    takenMessageId: row.taken_message_id,
    pictureMessages: PICTURE_MESSAGES.read(row.picture_messages),
    chosen: CHOSEN.read(row.chosen),
    questionId: row.question_id,
    refusals: row.refusals,
    revision: row.revision,
  };
}

/** A closed draft is kept this long to explain its old card, in ms. */
const CLOSED_KEPT_MS = 30 * DAY_MS;

export type NewDraft = Omit<Draft, "id" | "messageId" | "state" | "questionId" | "refusals" | "revision">;

/** A draft stays of its kind, its person and its chat. */
export type DraftChange = Partial<
  Omit<Draft, "id" | "userId" | keyof ChatPlace | "messageId" | "type" | "refusals" | "revision">
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
  /** @param perMinuteMax unpaid drafts of a person within a minute; 0: any number */
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly perMinuteMax = 0,
  ) {}

  find(id: number): Draft | undefined {
    const row = drafts.get(this.database, { id });
    return row && draftOf(row);
  }

  /** Finds the open draft of a person in a chat. None where there is no chat, as with some taps. */
  composing(userId: number, chatId: number | undefined): Draft | undefined {
    if (chatId === undefined) return undefined;
    const row = drafts.get(this.database, { user_id: userId, chat_id: chatId, state: "composing" });
    return row && draftOf(row);
  }

  lastOrdered(userId: number, chatId: number): Draft | undefined {
    const newest = { orderBy: ["id desc"], limit: 1 } as const;
    const [row] = drafts.all(this.database, { user_id: userId, chat_id: chatId, state: "ordered" }, newest);
    return row && draftOf(row);
  }

  /** Opens a draft. The one being composed in the chat becomes `replaced`. Throws TooManyDraftsError. */
  open(draft: NewDraft): Promise<{ draft: Draft; replaced: Draft | undefined }> {
    return this.database.write("draft-open", (tx) => {
      this.#requireRoom(tx, draft.userId);
      const old = drafts.get(tx, { user_id: draft.userId, chat_id: draft.chatId, state: "composing" });
      const replaced = old && draftOf(old);
      if (replaced) this.changeIn(tx, replaced, { state: "replaced" });
      return { draft: this.insertIn(tx, draft, "composing"), replaced };
    });
  }

  #requireRoom(tx: Transaction, userId: number): void {
    const max = this.perMinuteMax;
    if (max === 0) return;
    const until = this.clock.now();
    const lately = { user_id: userId, since: integer(until - MINUTE_MS), until };
    const unpaid = tx.first(countUnpaidDrafts, lately)?.drafts ?? 0;
    if (unpaid >= max) throw new TooManyDraftsError(max);
  }

  /** Inserts a draft. One that begins as `ordered` leaves the one being composed alone. */
  insertIn(tx: Transaction, draft: NewDraft, state: "composing" | "ordered"): Draft {
    const begun = { ...draft, messageId: null, state, questionId: null, refusals: 0, revision: 1 };
    const id = drafts.insert(tx, {
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
  change(draft: Draft, change: DraftChange): Promise<Draft | undefined> {
    return this.database.write("draft", (tx) => this.changeIn(tx, draft, change));
  }

  /** Changes a draft, whose group is no longer asked unless `change` says so. */
  changeIn(tx: Transaction, draft: Draft, change: DraftChange): Draft | undefined {
    const { id, state, revision } = draft;
    const next = { ...draft, questionId: null, refusals: 0, ...change, revision: revision + 1 };
    const changed = drafts.update(
      tx,
      { id, revision },
      {
        ...this.#columnsOf(next),
        // Written only where it changes: it is in the index of composing drafts.
        ...(next.state !== state && { state: next.state }),
      },
    );
    if (changed === 0) return undefined;
    // No part of the comparison: it may have changed since the draft was read.
    return { ...next, messageId: drafts.get(tx, { id })?.message_id ?? null };
  }

  /** Returns an ordered draft to `composing`. Undefined when a newer one has replaced it. */
  reopenIn(tx: Transaction, draftId: number): Draft | undefined {
    const row = drafts.get(tx, { id: draftId });
    if (row?.state !== "ordered") return undefined;
    const draft = draftOf(row);
    if (!drafts.get(tx, { user_id: row.user_id, chat_id: row.chat_id, state: "composing" })) {
      return this.changeIn(tx, draft, { state: "composing" });
    }
    this.changeIn(tx, draft, { state: "replaced" });
    return undefined;
  }

  /** Marks a draft as `ordered` again, when its order goes on. */
  closeIn(tx: Transaction, draftId: number): void {
    const row = drafts.get(tx, { id: draftId });
    if (row?.state === "composing") this.changeIn(tx, draftOf(row), { state: "ordered" });
  }

  /** Keeps the revision. Returns false when the draft or its message has changed since `drawn`. */
  setMessage(drawn: Draft, messageId: number): Promise<boolean> {
    const { id, revision, messageId: message_id } = drawn;
    return this.database.write(
      "draft-message",
      (tx) => drafts.update(tx, { id, revision, message_id }, { message_id: messageId }) === 1,
    );
  }

  /** Keeps the revision. */
  async setQuestion({ id, revision }: Draft, questionId: number): Promise<void> {
    await this.database.write("draft-question", (tx) =>
      drafts.update(tx, { id, revision }, { question_id: questionId }),
    );
  }

  /** Counts an answer that was refused. Keeps the revision. */
  async countRefusal({ id, revision, refusals }: Draft): Promise<void> {
    await this.database.write("draft-refusal", (tx) =>
      drafts.update(tx, { id, revision }, { refusals: refusals + 1 }),
    );
  }

  lastParameters(userId: number, modelKey: string): Readonly<Record<string, ParameterValue>> {
    const row = lastParameters.get(this.database, { user_id: userId, model_key: modelKey });
    return row ? LAST_PARAMETERS.read(row.parameters) : {};
  }

  /** Keys of the models that the person paid for, newest first. */
  lastModels(userId: number): string[] {
    const rows = lastParameters.all(this.database, { user_id: userId }, { orderBy: ["used_at desc"] });
    return rows.map(({ model_key }) => model_key);
  }

  /** Keeps the settings for the next card. What the person wrote goes with the draft. */
  rememberIn(tx: Transaction, { userId, modelKey, parameters }: Draft): void {
    if (modelKey === null) return;
    const settings = Object.entries(parameters).filter(([name]) => !MAIN_TEXTS.some((text) => text === name));
    lastParameters.save(tx, ["user_id", "model_key"], {
      user_id: userId,
      model_key: modelKey,
      parameters: JSON.stringify(Object.fromEntries(settings)),
      used_at: this.clock.now(),
    });
  }

  async sweep(now: Integer): Promise<void> {
    const before = now - CLOSED_KEPT_MS;
    await this.database.write("draft-sweep", (tx) =>
      drafts.delete(tx, { state: not("composing"), updated_at: lessThan(before) }),
    );
  }

  sections(userId: number): DataSection[] {
    // Thousands of somebody who opens cards and pays none.
    const composed = (last?: DraftRow) =>
      drafts.all(
        this.database,
        { user_id: userId, id: moreThan(last?.id ?? 0) },
        { orderBy: ["id"], limit: PAGE_ROWS },
      );
    const used = lastParameters.all(this.database, { user_id: userId }, { orderBy: ["used_at"] });
    return [
      {
        name: "drafts",
        rows: linesByPage(composed, ({ updated_at, chat_id, type, model_key, parameters, state }) => ({
          updated_at: new Date(updated_at).toISOString(),
          chat_id,
          type,
          model_key,
          parameters: PARAMETERS.read(parameters),
          state,
        })),
      },
      {
        name: "last_settings",
        rows: used.map(({ model_key, parameters, used_at }) => ({
          used_at: new Date(used_at).toISOString(),
          model_key,
          parameters: LAST_PARAMETERS.read(parameters),
        })),
      },
    ];
  }

  /** Erases the first drafts of a person, at most `limit`. Returns how many there were. */
  eraseSome(tx: Transaction, userId: number, limit: number): number {
    const last = drafts.all(tx, { user_id: userId }, { orderBy: ["id"], limit }).at(-1);
    return last ? drafts.delete(tx, { user_id: userId, id: atMost(last.id) }) : 0;
  }

  eraseIn(tx: Transaction, userId: number): void {
    drafts.delete(tx, { user_id: userId });
    lastParameters.delete(tx, { user_id: userId });
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
      question_id: draft.questionId,
      refusals: draft.refusals,
      revision: draft.revision,
      updated_at: this.clock.now(),
    };
  }
}
