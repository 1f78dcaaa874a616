import { type Generated, type Selectable, sql } from "kysely";
import type { GenerationType } from "../../../contract/model.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Transaction } from "../../../database/transaction.js";
import type { Integer } from "../../../platform/integer.js";
import {
  type Draft,
  type DraftState,
  readView,
  storedChosen,
  storedParameters,
  storedPictureMessages,
} from "./draft.js";

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
  revision: number;
  updated_at: Integer;
}
export type DraftRow = Selectable<DraftTable>;

export interface LastParametersRow {
  user_id: number;
  model_key: string;
  parameters: string;
  used_at: Integer;
}

declare module "../../../database/schema.js" {
  interface Schema {
    draft: DraftTable;
    last_parameters: LastParametersRow;
  }
}

// A literal, since SQLite uses a partial index only when the query states its condition.
const COMPOSING = sql.lit("composing" as const);
const ORDERED = sql.lit("ordered" as const);
const UNPAID = [sql.lit("cancelled" as const), sql.lit("replaced" as const)];

export const draftById = prepare<{ id: number }, DraftRow>((p) =>
  qb.selectFrom("draft").selectAll().where("id", "=", p.id),
);
export const composingDraft = prepare<{ user_id: number; chat_id: number }, DraftRow>((p) =>
  qb
    .selectFrom("draft")
    .selectAll()
    .where("user_id", "=", p.user_id)
    .where("chat_id", "=", p.chat_id)
    .where("state", "=", COMPOSING),
);
export const lastOrderedDraft = prepare<{ user_id: number; chat_id: number }, DraftRow>((p) =>
  qb
    .selectFrom("draft")
    .selectAll()
    .where("user_id", "=", p.user_id)
    .where("chat_id", "=", p.chat_id)
    .where("state", "=", ORDERED)
    .orderBy("id", "desc")
    .limit(sql.lit(1)),
);
type NewRow = Omit<DraftRow, "id" | "message_id">;
export const insertDraft = prepare<NewRow>((p) =>
  qb.insertInto("draft").values({
    user_id: p.user_id,
    chat_id: p.chat_id,
    thread_id: p.thread_id,
    state: p.state,
    view: p.view,
    type: p.type,
    model_key: p.model_key,
    parameters: p.parameters,
    prompt_message_id: p.prompt_message_id,
    taken_message_id: p.taken_message_id,
    picture_messages: p.picture_messages,
    chosen: p.chosen,
    revision: p.revision,
    updated_at: p.updated_at,
  }),
);
type ChangedRow = Omit<DraftRow, "user_id" | "chat_id" | "thread_id" | "message_id" | "type" | "state">;
/** Does not write `state`, which would update the index of composing drafts. */
export const changeDraft = prepare<ChangedRow>((p) =>
  qb
    .updateTable("draft")
    .set((eb) => ({
      view: p.view,
      model_key: p.model_key,
      parameters: p.parameters,
      prompt_message_id: p.prompt_message_id,
      taken_message_id: p.taken_message_id,
      picture_messages: p.picture_messages,
      chosen: p.chosen,
      revision: eb("revision", "+", 1),
      updated_at: p.updated_at,
    }))
    .where("id", "=", p.id)
    .where("revision", "=", p.revision),
);
export const moveDraft = prepare<Pick<DraftRow, "id" | "state">>((p) =>
  qb.updateTable("draft").set({ state: p.state }).where("id", "=", p.id),
);
interface ShownRow extends Pick<DraftRow, "id" | "revision"> {
  message_id: number;
  before: Integer | null;
}
export const setDraftMessage = prepare<ShownRow>((p) =>
  qb
    .updateTable("draft")
    .set({ message_id: p.message_id })
    .where("id", "=", p.id)
    .where("revision", "=", p.revision)
    .where(({ ref }) => sql<boolean>`${ref("message_id")} IS ${p.before}`),
);
export const selectLastParameters = prepare<{ user_id: number; model_key: string }, { parameters: string }>(
  (p) =>
    qb
      .selectFrom("last_parameters")
      .select("parameters")
      .where("user_id", "=", p.user_id)
      .where("model_key", "=", p.model_key),
);
export const selectLastModels = prepare<{ user_id: number }, { model_key: string }>((p) =>
  qb
    .selectFrom("last_parameters")
    .select("model_key")
    .where("user_id", "=", p.user_id)
    .orderBy("used_at", "desc"),
);
export const saveLastParameters = prepare<LastParametersRow>((p) =>
  qb
    .insertInto("last_parameters")
    .values({ user_id: p.user_id, model_key: p.model_key, parameters: p.parameters, used_at: p.used_at })
    .onConflict((conflict) =>
      conflict.columns(["user_id", "model_key"]).doUpdateSet((eb) => ({
        parameters: eb.ref("excluded.parameters"),
        used_at: eb.ref("excluded.used_at"),
      })),
    ),
);
export const deleteClosedDrafts = prepare<{ before: Integer }>((p) =>
  qb.deleteFrom("draft").where("state", "!=", COMPOSING).where("updated_at", "<", p.before),
);

/** Counts the drafts of a person that were put away unpaid since then. A test checks that it uses its index. */
export const countUnpaidDrafts = prepare<{ user_id: number; since: Integer }, { drafts: number }>((p) =>
  qb
    .selectFrom("draft")
    .select((eb) => eb.fn.countAll<number>().as("drafts"))
    .where("user_id", "=", p.user_id)
    .where("state", "in", UNPAID)
    .where("updated_at", ">", p.since),
);

const deleteDraftsOf = prepare<{ userId: number }>((p) =>
  qb.deleteFrom("draft").where("user_id", "=", p.userId),
);
const deleteParametersOf = prepare<{ userId: number }>((p) =>
  qb.deleteFrom("last_parameters").where("user_id", "=", p.userId),
);
export const selectDraftsOf = prepare<{ userId: number }, DraftRow>((p) =>
  qb.selectFrom("draft").selectAll().where("user_id", "=", p.userId).orderBy("id"),
);
export const selectParametersOf = prepare<{ userId: number }, LastParametersRow>((p) =>
  qb.selectFrom("last_parameters").selectAll().where("user_id", "=", p.userId).orderBy("used_at"),
);

/** Deletes what a person composes, and the settings that were used last. */
export function eraseDrafts(tx: Transaction, userId: number): void {
  tx.run(deleteDraftsOf, { userId });
  tx.run(deleteParametersOf, { userId });
}

export function draftOf(row: DraftRow): Draft {
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
    parameters: storedParameters.parse(JSON.parse(row.parameters)),
    promptMessageId: row.prompt_message_id,
    takenMessageId: row.taken_message_id,
    pictureMessages: storedPictureMessages.parse(JSON.parse(row.picture_messages)),
    chosen: storedChosen.parse(JSON.parse(row.chosen)),
    revision: row.revision,
  };
}
