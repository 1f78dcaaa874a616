import type { InlineKeyboardMarkup, Message } from "grammy/types";
import { afterEach, describe, expect, test } from "vitest";
import { correctionData } from "../../../../src/bot/features/corrections/correction-data.js";
import { createFeatures } from "../../../../src/bot/features.js";
import { ADMIN_ID, ANN, openBotHarness } from "../../../support/bot-harness.js";
import { type Desk, openDesk } from "../../../support/desk-world.js";
import { texts } from "../../../support/drafts.js";
import { connectedAccounts, sharedAccount } from "../../../support/fake-accounts.js";
import { BOT } from "../../../support/fake-telegram.js";
import { paidMessage } from "../../../support/payments.js";
import { rowsOf } from "../../../support/rows-of.js";

const { t } = texts.in("en");
const MAX = { ...ANN, id: ADMIN_ID, first_name: "Max" };
const EVE = { ...ANN, id: 66, first_name: "Eve" };
const GROUP = { id: -5, type: "supergroup", title: "Studio" } as const;
const CHANNEL = { id: -6, type: "channel", title: "News" } as const;
const OTHER_BOT = { id: 777, is_bot: true, first_name: "Helper", username: "helper_bot" };
const ANONYMOUS = { ...ANN, id: 1087968824, is_bot: true as never, username: "GroupAnonymousBot" };

type Harness = Omit<ReturnType<typeof openBotHarness>, "say"> & Pick<ReturnType<typeof openDesk>, "say">;

/** Words after a command that make it do something. A new command is tried with the id of a person. */
const WORDS: Readonly<Record<string, string>> = {
  credit: `${ANN.id} 20000`,
  debit: `${ANN.id} 1`,
  limit: `${ANN.id} 100`,
  order: "1",
  orders: "",
  refund: "1",
};

/** So many that `/audit` has a second page. */
const ACTS = 12;

/** What an admin does in a group, where people see it: balances of people they answer. */
const FOR_GROUPS = ["credit", "debit", "limit"];
/** What an admin is told to ask in private. */
const REFUSED_IN_GROUPS = ["orders", "order"];
/** Prefixes of the buttons under these. */
const OF_GROUPS = [correctionData.prefix];

interface Way {
  from: typeof ANN;
  more: Partial<Message>;
  /** What is said to this way of speaking, whatever it asks for. */
  told?: string;
}

const IN_GROUP = { chat: GROUP as never };
const OWN_WORDS = t("admin-own-words");

/** Who says a command, and how it comes. */
const WAYS: Readonly<Record<string, Way>> = {
  "of anybody else": { from: EVE, more: {} },
  "of anybody else in a group": { from: EVE, more: IN_GROUP },
  "that an admin forwarded": {
    from: MAX,
    more: { forward_origin: { type: "hidden_user", sender_user_name: "Max", date: 1 } },
    told: OWN_WORDS,
  },
  "that an inline bot wrote for an admin": {
    from: MAX,
    more: { via_bot: OTHER_BOT as never },
    told: OWN_WORDS,
  },
  "that a business bot wrote for an admin": {
    from: MAX,
    more: { sender_business_bot: OTHER_BOT as never },
    told: OWN_WORDS,
  },
  "in the name of a channel": { from: MAX, more: { ...IN_GROUP, sender_chat: CHANNEL as never } },
  "in the name of a channel in private": { from: MAX, more: { sender_chat: CHANNEL as never } },
  "of an anonymous admin of a group": {
    from: ANONYMOUS,
    more: { ...IN_GROUP, sender_chat: GROUP as never },
    told: t("anonymous-admin"),
  },
};

const KINDS = {
  managed: openDesk,
  shared: () => openBotHarness({ accounts: sharedAccount() }),
  connected: () => openBotHarness({ accounts: connectedAccounts() }),
};
type Kind = keyof typeof KINDS;

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** A bot that knows Ann, Eve and the admin, and has what the commands are about. */
async function openKnown(kind: Kind): Promise<Harness> {
  const harness: Harness & Partial<Desk> = KINDS[kind]();
  if (harness.close) opened.push(harness.close);
  for (const from of [ANN, EVE, MAX]) await harness.say("/help", from);
  await harness.say("/help@atelier_bot", EVE, IN_GROUP);
  if (kind !== "managed") return harness;
  await harness.send(paidMessage({ ref: "unknown", price: 50 }, "c1"), ANN);
  await harness.finishedOrder("o1", ANN.id);
  const file = { index: 0, track: 0, messageId: 5, fileId: "photo-1", as: "photo" as const };
  await harness.orders.saveFiles("o1", [file], ANN.id);
  await harness.orders.endDelivery("o1", "sent", "sent", true);
  return harness;
}

function adminFeaturesOf(harness: Harness) {
  const features = createFeatures(harness.parts);
  const forAdmins = features.filter(({ adminCommands = [] }) => adminCommands.length > 0);
  return {
    commands: forAdmins.flatMap(({ adminCommands = [] }) => adminCommands),
    prefixes: forAdmins.flatMap(({ callbackPrefixes = [] }) => callbackPrefixes),
    everybody: features.flatMap(({ commands = [], keyCommands = [] }) => [...commands, ...keyCommands]),
  };
}

/** What is said where a command or a button does not exist. */
function wordsOfNothing(harness: Harness, told?: string): Set<unknown> {
  const { everybody } = adminFeaturesOf(harness);
  const words = ["", `@${BOT.username}`].flatMap((atBot) => [
    t("unknown-command", { atBot }),
    t("tap-unknown", { atBot }),
    t("tap-not-yours", { atBot }),
    ...everybody.map((name) => t("unknown-command-meant", { command: `/${name}${atBot}` })),
  ]);
  return new Set(told === undefined ? words : [...words, told]);
}

/** Does an attack, which must change no row and tell nothing. */
async function attack(harness: Harness, allowed: Set<unknown>, act: () => Promise<unknown>) {
  const before = rowsOf(harness.database);
  const calls = harness.calls.length;
  await act();
  expect(rowsOf(harness.database)).toEqual(before);
  for (const { method, payload } of harness.calls.slice(calls)) {
    expect(["sendMessage", "answerCallbackQuery"]).toContain(method);
    expect(allowed).toContain(payload.text);
  }
}

function linesOf(command: string, atBot = ""): string[] {
  return [`/${command}${atBot}`, `/${command}${atBot} ${WORDS[command] ?? ANN.id}`];
}

/** The data of every button of admins that these calls showed. */
function dataIn(calls: Harness["calls"], prefixes: readonly string[]): string[] {
  const keyboards = calls.map(({ payload }) => payload.reply_markup as InlineKeyboardMarkup | undefined);
  const shown = keyboards.flatMap((one) =>
    (one?.inline_keyboard ?? [])
      .flat()
      .map((button) => ("callback_data" in button && button.callback_data) || ""),
  );
  return shown.filter((data) => prefixes.includes(prefixOf(data)));
}

function prefixOf(data: string): string {
  return data.slice(0, data.indexOf(":"));
}

describe.each(Object.keys(KINDS) as Kind[])("where accounts are %s", (kind) => {
  test.each(Object.entries(WAYS))(
    "an admin's command %s does nothing",
    async (_way, { from, more, told }) => {
      const harness = await openKnown(kind);
      const allowed = wordsOfNothing(harness, told);
      const atBot = more.chat ? `@${BOT.username}` : "";
      for (const line of adminFeaturesOf(harness).commands.flatMap((name) => linesOf(name, atBot)))
        await attack(harness, allowed, () => harness.say(line, from, more));
    },
  );

  test("an admin's command that an edit writes, or a channel, does nothing", async () => {
    const harness = await openKnown(kind);
    const allowed = wordsOfNothing(harness);
    for (const line of adminFeaturesOf(harness).commands.flatMap((name) => linesOf(name))) {
      const length = line.split(" ", 1).join().length;
      const message = harness.message(
        { text: line, entities: [{ type: "bot_command", offset: 0, length }] },
        MAX,
      );
      await attack(harness, allowed, () => harness.handle({ edited_message: message as never }));
      const post = { ...message, chat: CHANNEL, sender_chat: CHANNEL, from: undefined };
      await attack(harness, allowed, () => harness.handle({ channel_post: post as never }));
    }
  });

  test("an admin's command is unknown in a group, but for those that are meant for groups", async () => {
    const harness = await openKnown(kind);
    for (const command of adminFeaturesOf(harness).commands.filter((name) => !FOR_GROUPS.includes(name))) {
      const told = REFUSED_IN_GROUPS.includes(command) ? t("orders-private-only") : undefined;
      const allowed = wordsOfNothing(harness, told);
      for (const line of linesOf(command, `@${BOT.username}`))
        await attack(harness, allowed, () => harness.say(line, MAX, IN_GROUP));
    }
  });

  test("each command is one that an admin is answered to", async () => {
    const harness = await openKnown(kind);
    const none = wordsOfNothing(harness);
    for (const line of adminFeaturesOf(harness).commands.flatMap((name) => linesOf(name))) {
      const calls = harness.calls.length;
      await harness.say(line, MAX);
      const texts = harness.calls.slice(calls).map(({ payload }) => payload.text ?? payload.caption);
      expect(
        texts.filter((text) => text !== undefined && !none.has(text)),
        line,
      ).not.toEqual([]);
    }
  });
});

test("no button of an admin does anything for anybody else, or in a group", async () => {
  const harness = await openKnown("managed");
  const allowed = wordsOfNothing(harness);
  for (let count = 0; count < ACTS; count += 1) await harness.say(`/credit ${ANN.id} 1`, MAX);
  const { commands, prefixes } = adminFeaturesOf(harness);
  const tried = new Set<string>();
  /** Lets the admin act, and everybody else tap what it shows at once, before the admin does. */
  const follow = async (act: () => Promise<unknown>, depth: number): Promise<void> => {
    const calls = harness.calls.length;
    await act();
    const shown = dataIn(harness.calls.slice(calls), prefixes).filter((data) => !tried.has(data));
    const { lastId } = harness.telegram;
    for (const data of shown) {
      tried.add(data);
      await attack(harness, allowed, () => harness.tap(data, lastId, EVE));
      await attack(harness, allowed, () => harness.tap(data, lastId, EVE, IN_GROUP));
      if (!OF_GROUPS.includes(prefixOf(data)))
        await attack(harness, allowed, () => harness.tap(data, lastId, MAX, IN_GROUP));
    }
    if (depth > 0)
      for (const data of shown)
        await follow(() => harness.tap(data, harness.telegram.lastId, MAX), depth - 1);
  };
  for (const line of commands.flatMap((name) => linesOf(name))) {
    await follow(() => harness.say(line, MAX), 1);
    // Some ask for words first.
    await follow(() => harness.say("50", MAX), 0);
  }
  const missed = prefixes.filter((prefix) => ![...tried].some((data) => prefixOf(data) === prefix));
  expect(missed).toEqual([]);
});

test("whom an admin may pick from Telegram's list tells nobody else anything", async () => {
  const harness = await openKnown("managed");
  const picked = { users_shared: { request_id: 1, users: [{ user_id: ANN.id }] } } as never;
  await attack(harness, new Set(), () => harness.send(picked, EVE));
  await attack(harness, new Set(), () => harness.send({ ...(picked as object), ...IN_GROUP }, MAX));
  const calls = harness.calls.length;
  await harness.send(picked, MAX);
  expect(harness.calls.length).toBeGreaterThan(calls);
});
