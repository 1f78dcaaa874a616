import { z } from "zod";
import { ADMIN_ID, SUPPORT_CHAT } from "../surroundings.js";
import { forget } from "./forgetting.js";
import type { Cast, SimPath } from "./path.js";

const ticket = z.object({ user_id: z.int(), message_id: z.int() });
const topic = z.object({ user_id: z.int().nullable(), thread_id: z.int() });

/** People write to support, admins answer in their topics, and some are forgotten with what they wrote. */
export const support: SimPath = {
  rulesOf: () => ({ support: { answers: [] } }),
  actsOf: (cast) => {
    const { someone, random } = cast;
    return [
      [8, () => someone(3).say(`/support help me with ${random.integer(1, 99)}`)],
      [4, () => someone(3).say(random.pick(["/support", "/paysupport"]))],
      [5, () => someone(3).say("it is still wrong")],
      [10, () => answer(cast)],
      [3, () => forget(cast, someone(2))],
    ];
  },
  watch: `
    CREATE TABLE sim_ticket (user_id INTEGER NOT NULL, message_id INTEGER NOT NULL) STRICT;
    CREATE TRIGGER sim_ticket AFTER INSERT ON support_ticket
    BEGIN INSERT INTO sim_ticket VALUES (NEW.user_id, NEW.message_id); END;
    CREATE TRIGGER sim_ticket_erased AFTER DELETE ON support_ticket WHEN OLD.sent_at IS NULL
    BEGIN DELETE FROM sim_ticket WHERE user_id = OLD.user_id AND message_id = OLD.message_id; END;
    CREATE TABLE sim_topic (user_id INTEGER NOT NULL, thread_id INTEGER NOT NULL) STRICT;
    CREATE TRIGGER sim_topic AFTER INSERT ON support_topic WHEN NEW.user_id IS NOT NULL
    BEGIN INSERT INTO sim_topic VALUES (NEW.user_id, NEW.thread_id); END;
  `,
  open: [
    "SELECT 1 FROM support_ticket WHERE sent_at IS NULL",
    "SELECT 1 FROM support_topic WHERE user_id IS NULL",
  ],
  judge({ reader, rules, telegram, isCalm }) {
    const book = rules.support;
    if (!book) return [];
    const tickets = reader.all(ticket, "SELECT user_id, message_id FROM sim_ticket");
    const owners = new Map(
      reader
        .all(topic, "SELECT user_id, thread_id FROM sim_topic")
        .map(({ user_id, thread_id }) => [thread_id, user_id]),
    );
    const kept = new Set(
      reader.all(topic, "SELECT user_id, thread_id FROM support_topic").map(({ thread_id }) => thread_id),
    );
    const toSupport = telegram.copies.filter(({ chatId }) => chatId === SUPPORT_CHAT || chatId === ADMIN_ID);
    const unheard = tickets.filter(
      ({ user_id, message_id }) =>
        !toSupport.some(({ from, source }) => from === user_id && source === message_id),
    );
    const strange = telegram.copies.filter(
      ({ threadId, from }) => threadId !== undefined && owners.has(threadId) && owners.get(threadId) !== from,
    );
    const sent = [...telegram.messages.values()].filter(({ chatId }) => chatId > 0);
    return [
      ...unheard.map(({ user_id, message_id }) => `support never got ${message_id} of ${user_id}`),
      ...strange.map(({ threadId, from }) => `topic ${threadId} got a message of ${from}`),
      ...[...owners.keys()]
        .filter((thread) => telegram.topics.has(thread) && !kept.has(thread))
        .map((thread) => `topic ${thread} of somebody forgotten is still there`),
      ...book.answers.flatMap(({ text, userId }) => {
        const got = sent.filter((one) => one.text.endsWith(text));
        const others = got.filter(({ chatId }) => chatId !== userId);
        return [
          ...others.map(({ chatId }) => `${chatId} got an answer to ${userId}`),
          ...(isCalm && got.length > 1 ? [`${userId} got an answer ${got.length} times`] : []),
        ];
      }),
    ];
  },
  planted: {
    "a message to support that reaches nobody": { dropped: "copyMessage" },
    "a topic that is taken for another person's": {
      after: {
        label: "support-topic",
        sql: "UPDATE support_topic SET user_id = (SELECT telegram_id FROM person WHERE telegram_id <> user_id LIMIT 1)",
      },
    },
    "a topic of somebody forgotten that stays": { dropped: "deleteForumTopic" },
  },
};

/** An admin writes in a topic, which belongs to the person whose message it shows. */
function answer({ world: { telegram, rules }, random }: Cast): string {
  const shown = telegram.copies.filter(
    ({ chatId, threadId }) => chatId === SUPPORT_CHAT && threadId !== undefined,
  );
  const one = random.pick(shown.slice(-4));
  if (!one || !rules.support) return "no admin finds anything to answer";
  const text = `answer ${rules.support.answers.length + 1}.`;
  rules.support.answers.push({ text, userId: one.from });
  const chat = { id: SUPPORT_CHAT, type: "supergroup", title: "Operators", is_forum: true };
  telegram.write(ADMIN_ID, { chat, message_thread_id: one.threadId, is_topic_message: true, text });
  return `an admin answers ${one.from} in topic ${one.threadId}`;
}
