import type { Update } from "grammy/types";
import { z } from "zod";
import { SECOND_MS } from "../../../src/platform/units.js";
import { BOT } from "../../support/fake-telegram.js";
import { nameOf } from "../rows.js";
import type { SimPerson } from "../sim-person.js";
import { userOf } from "../sim-telegram.js";
import type { Cast, SimPath } from "./path.js";

const GROUP = -500;
const FLOOD_SECONDS_MAX = 60;
/** Names in a button that pays the card that it belongs to, and confirms the price. */
const PAYS = /^c:([0-9a-z]+):[0-9a-z]+:y/;

const ordered = z.object({ id: z.string(), user_id: z.int(), draft_id: z.int(), prompt: z.string() });
const IN_GROUP = `
  SELECT id, user_id, draft_id, coalesce(written.request ->> '$.prompt', written.request ->> '$.description',
    written.request ->> '$.lyrics', '') AS prompt
  FROM "order" JOIN sim_request AS written ON written.of = 'order:' || id WHERE chat_id = ${GROUP}`;

/** Several people and the bot in one group: each card is its owner's, whoever taps, and answers come as replies. */
export const groups: SimPath = {
  rulesOf: () => ({ group: { writers: new Map(), payers: new Map(), takers: new Set() } }),
  actsOf: (cast) => {
    return [
      [10, () => say(cast, cast.someone(4), "command")],
      [20, () => tap(cast, cast.someone(4), true)],
      [8, () => tap(cast, cast.someone(4), false)],
      [6, () => say(cast, cast.someone(4), "reply")],
      [1, () => flood(cast)],
    ];
  },
  judge({ reader, rules: { group } }) {
    if (!group) return [];
    return reader.all(ordered, IN_GROUP).flatMap(({ id, user_id, draft_id, prompt }) => {
      if (group.takers.has(user_id)) return [];
      const writer = group.writers.get(nameOf(prompt));
      const payers = group.payers.get(draft_id.toString(36));
      return [
        ...(writer === undefined || writer === user_id
          ? []
          : [`order ${id} of ${user_id} has the words of ${writer}`]),
        ...(payers && !payers.has(user_id)
          ? [`order ${id} of ${user_id} was confirmed by ${[...payers].join(" and ")}`]
          : []),
      ];
    });
  },
  planted: {
    "a card in a group that anybody confirms": { isTapForged: true },
  },
};

function chat() {
  return { id: GROUP, type: "supergroup", title: "Group" } as const;
}

/** Says a command, or replies to a message of the bot, such as its question. */
function say(
  { world: { telegram, rules }, random }: Cast,
  person: SimPerson,
  kind: "command" | "reply",
): string {
  if (!rules.group) return "";
  const name = `number ${Math.abs(GROUP)} of ${rules.group.writers.size + 1}`;
  rules.group.writers.set(name, person.id);
  const command = kind === "command" ? `${random.pick(["/image", "/video"])}@${BOT.username}` : "";
  const text = `${command} group ${name}`.trim();
  const asked = [...telegram.messages.values()].filter(({ chatId }) => chatId === GROUP).at(-1);
  const replied = asked && { message_id: asked.id, date: 1, from: BOT, chat: chat(), text: asked.text };
  telegram.write(person.id, {
    chat: chat(),
    text,
    ...(command && { entities: [{ type: "bot_command", offset: 0, length: command.length }] }),
    ...(kind === "reply" && replied && { reply_to_message: replied }),
  });
  return `${person.id} says in the group ${text}`;
}

/** Taps a button of anybody's card. */
function tap({ world: { telegram, rules }, random }: Cast, person: SimPerson, isPaying: boolean): string {
  const seen = [...telegram.messages.values()].filter(({ chatId }) => chatId === GROUP).slice(-6);
  const buttons = seen.flatMap((message) =>
    message.buttons
      .filter((button) => !isPaying || button.isPaying)
      .map((button) => ({ ...button, id: message.id, owner: ownerOf(message.text) })),
  );
  const button = random.pick(buttons);
  if (!button || !rules.group) return "nobody finds a button in the group";
  const userId = isPaying && random.chance(0.6) ? (button.owner ?? person.id) : person.id;
  const from = userOf(userId);
  const draft = PAYS.exec(button.data)?.[1];
  if (draft !== undefined)
    rules.group.payers.set(draft, (rules.group.payers.get(draft) ?? new Set()).add(userId));
  telegram.book.tapped({ id: userId }, button.label);
  if (/^r:.*:n:/.test(button.data)) rules.group.takers.add(userId);
  const id = `${GROUP}-${telegram.nextMessageId()}`;
  const message = { message_id: button.id, date: 1, chat: chat() };
  telegram.arrive({
    callback_query: { id, from, chat_instance: "1", data: button.data, message },
  } as Omit<Update, "update_id">);
  return `${userId} taps in the group ${button.label} (${button.data}) of ${button.id}`;
}

function ownerOf(text: string): number | undefined {
  const id = /^👤 P(\d+)/u.exec(text)?.[1];
  return id === undefined ? undefined : Number(id);
}

function flood({ world: { telegram, clock }, random }: Cast): string {
  const seconds = random.integer(1, FLOOD_SECONDS_MAX);
  telegram.floodedUntil.set(GROUP, clock.monotonic() + seconds * SECOND_MS);
  return `Telegram slows the group down for ${seconds} s`;
}
