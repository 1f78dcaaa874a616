import { type Generated, type Selectable, sql } from "kysely";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Integer } from "../../../platform/integer.js";

/** `payment`: asked about a payment, so that admins get its buttons. */
export type TicketKind = "question" | "payment";

/** The topic of a person in the chat of operators. */
interface SupportTopicTable {
  chat_id: number;
  thread_id: number;
  /** Null once the person was forgotten: the topic is to be deleted. */
  user_id: number | null;
  is_closed: Generated<0 | 1>;
}
export type SupportTopicRow = Selectable<SupportTopicTable>;

/** A message of a person to support, in their private chat. */
interface SupportTicketTable {
  id: Generated<number>;
  user_id: number;
  message_id: number;
  kind: TicketKind;
  /** The album that the message is a part of. */
  album: string | null;
  created_at: Integer;
  /** Null while no admin has a copy. */
  sent_at: Integer | null;
}
export type SupportTicketRow = Selectable<SupportTicketTable>;

/** A message of the bot to admins: a reply to it goes to the person. */
export interface SupportCopyRow {
  chat_id: number;
  message_id: number;
  /** Null outside of the person's topic. */
  thread_id: number | null;
  /** Null once the person was forgotten: the message is to be deleted. */
  user_id: number | null;
  /** The message of the person that it is about. */
  asked_id: number | null;
  created_at: Integer;
}

/** A message of an admin that goes to a person. */
export interface SupportAnswerRow {
  chat_id: number;
  message_id: number;
  user_id: number;
  created_at: Integer;
  /** The message in the person's chat; null while it may not have arrived. */
  sent_id: number | null;
}

declare module "../../../database/schema.js" {
  interface Schema {
    support_topic: SupportTopicTable;
    support_ticket: SupportTicketTable;
    support_copy: SupportCopyRow;
    support_answer: SupportAnswerRow;
  }
}

type Message = Pick<SupportCopyRow, "chat_id" | "message_id">;
type Topic = Pick<SupportTopicRow, "chat_id" | "thread_id">;
type Of = { user_id: number };

export const insertTicket = prepare<Omit<SupportTicketRow, "id" | "sent_at">>((p) =>
  qb
    .insertInto("support_ticket")
    .values({
      user_id: p.user_id,
      message_id: p.message_id,
      kind: p.kind,
      album: p.album,
      created_at: p.created_at,
      sent_at: sql.lit(null),
    })
    .onConflict((conflict) => conflict.doNothing()),
);
export const ticketOfMessage = prepare<Of & { message_id: number }, SupportTicketRow>((p) =>
  qb
    .selectFrom("support_ticket")
    .selectAll()
    .where("user_id", "=", p.user_id)
    .where("message_id", "=", p.message_id),
);
export const newestTicket = prepare<Of, SupportTicketRow>((p) =>
  qb
    .selectFrom("support_ticket")
    .selectAll()
    .where("user_id", "=", p.user_id)
    .orderBy("created_at", "desc")
    .limit(sql.lit(1)),
);
/** Counts an album as one ticket, and its messages. */
export const countTickets = prepare<Of & { since: Integer }, { tickets: number; messages: number }>((p) =>
  qb
    .selectFrom("support_ticket")
    .select((eb) => [
      sql<number>`count(DISTINCT ifnull(album, id))`.as("tickets"),
      eb.fn.countAll<number>().as("messages"),
    ])
    .where("user_id", "=", p.user_id)
    .where("created_at", ">", p.since),
);
export const firstWaiting = prepare<object, SupportTicketRow>(() =>
  qb
    .selectFrom("support_ticket")
    .selectAll()
    .where("sent_at", "is", sql.lit(null))
    .orderBy("id")
    .limit(sql.lit(1)),
);
export const setTicketSent = prepare<{ id: number; sent_at: Integer }>((p) =>
  qb.updateTable("support_ticket").set({ sent_at: p.sent_at }).where("id", "=", p.id),
);
export const ticketsOf = prepare<Of, SupportTicketRow>((p) =>
  qb.selectFrom("support_ticket").selectAll().where("user_id", "=", p.user_id).orderBy("id"),
);
export const deleteTicketsOf = prepare<Of>((p) =>
  qb.deleteFrom("support_ticket").where("user_id", "=", p.user_id),
);
export const deleteOldTickets = prepare<{ before: Integer }>((p) =>
  qb.deleteFrom("support_ticket").where("sent_at", "<", p.before),
);

export const insertTopic = prepare<Topic & Of>((p) =>
  qb.insertInto("support_topic").values({
    chat_id: p.chat_id,
    thread_id: p.thread_id,
    user_id: p.user_id,
    is_closed: sql.lit(0 as const),
  }),
);
export const topicOf = prepare<Of & { chat_id: number }, SupportTopicRow>((p) =>
  qb
    .selectFrom("support_topic")
    .selectAll()
    .where("user_id", "=", p.user_id)
    .where("chat_id", "=", p.chat_id),
);
export const topicAt = prepare<Topic, SupportTopicRow>((p) =>
  qb
    .selectFrom("support_topic")
    .selectAll()
    .where("chat_id", "=", p.chat_id)
    .where("thread_id", "=", p.thread_id),
);
export const setTopicClosed = prepare<Topic & { is_closed: 0 | 1 }>((p) =>
  qb
    .updateTable("support_topic")
    .set({ is_closed: p.is_closed })
    .where("chat_id", "=", p.chat_id)
    .where("thread_id", "=", p.thread_id),
);
export const deleteTopic = prepare<Topic>((p) =>
  qb.deleteFrom("support_topic").where("chat_id", "=", p.chat_id).where("thread_id", "=", p.thread_id),
);
export const firstForgottenTopic = prepare<object, SupportTopicRow>(() =>
  qb.selectFrom("support_topic").selectAll().where("user_id", "is", sql.lit(null)).limit(sql.lit(1)),
);
export const forgetTopics = prepare<Of>((p) =>
  qb
    .updateTable("support_topic")
    .set({ user_id: sql.lit(null) })
    .where("user_id", "=", p.user_id),
);

export const insertCopy = prepare<SupportCopyRow>((p) =>
  qb
    .insertInto("support_copy")
    .values({
      chat_id: p.chat_id,
      message_id: p.message_id,
      thread_id: p.thread_id,
      user_id: p.user_id,
      asked_id: p.asked_id,
      created_at: p.created_at,
    })
    .onConflict((conflict) => conflict.doNothing()),
);
export const copyAt = prepare<Message, SupportCopyRow>((p) =>
  qb
    .selectFrom("support_copy")
    .selectAll()
    .where("chat_id", "=", p.chat_id)
    .where("message_id", "=", p.message_id),
);
export const firstForgottenCopy = prepare<object, SupportCopyRow>(() =>
  qb.selectFrom("support_copy").selectAll().where("user_id", "is", sql.lit(null)).limit(sql.lit(1)),
);
export const deleteCopy = prepare<Message>((p) =>
  qb.deleteFrom("support_copy").where("chat_id", "=", p.chat_id).where("message_id", "=", p.message_id),
);
/** Forgets the copies in a topic, which go with it. */
export const deleteTopicCopies = prepare<Of>((p) =>
  qb.deleteFrom("support_copy").where("user_id", "=", p.user_id).where("thread_id", "is not", sql.lit(null)),
);
export const forgetCopies = prepare<Of>((p) =>
  qb
    .updateTable("support_copy")
    .set({ user_id: sql.lit(null) })
    .where("user_id", "=", p.user_id),
);
export const deleteOldCopies = prepare<{ before: Integer }>((p) =>
  qb.deleteFrom("support_copy").where("created_at", "<", p.before),
);

export const insertAnswer = prepare<Omit<SupportAnswerRow, "sent_id">>((p) =>
  qb
    .insertInto("support_answer")
    .values({
      chat_id: p.chat_id,
      message_id: p.message_id,
      user_id: p.user_id,
      created_at: p.created_at,
      sent_id: sql.lit(null),
    })
    .onConflict((conflict) => conflict.doNothing()),
);
export const answerAt = prepare<Message, SupportAnswerRow>((p) =>
  qb
    .selectFrom("support_answer")
    .selectAll()
    .where("chat_id", "=", p.chat_id)
    .where("message_id", "=", p.message_id),
);
export const setAnswerSent = prepare<Message & { sent_id: number }>((p) =>
  qb
    .updateTable("support_answer")
    .set({ sent_id: p.sent_id })
    .where("chat_id", "=", p.chat_id)
    .where("message_id", "=", p.message_id),
);
export const answerSentAs = prepare<Of & { sent_id: number }, SupportAnswerRow>((p) =>
  qb
    .selectFrom("support_answer")
    .selectAll()
    .where("user_id", "=", p.user_id)
    .where("sent_id", "=", p.sent_id),
);
export const answersOf = prepare<Of, SupportAnswerRow>((p) =>
  qb.selectFrom("support_answer").selectAll().where("user_id", "=", p.user_id).orderBy("created_at"),
);
export const deleteAnswer = prepare<Message>((p) =>
  qb.deleteFrom("support_answer").where("chat_id", "=", p.chat_id).where("message_id", "=", p.message_id),
);
export const deleteAnswersOf = prepare<Of>((p) =>
  qb.deleteFrom("support_answer").where("user_id", "=", p.user_id),
);
export const deleteOldAnswers = prepare<{ before: Integer }>((p) =>
  qb.deleteFrom("support_answer").where("created_at", "<", p.before),
);
