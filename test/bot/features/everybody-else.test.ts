import type { InlineKeyboardMarkup, Message } from "grammy/types";
import { describe, expect, test } from "vitest";
import { paymentListData } from "../../../src/bot/features/person-buttons.js";
import { refundLink } from "../../../src/bot/features/refund.js";
import { createFeatures } from "../../../src/bot/features.js";
import { asKopecks } from "../../../src/contract/price.js";
import { ANN, GROUP, IN_GROUP, MAX, openBotHarness } from "../../support/bot-harness.js";
import { buttonPrefixes } from "../../support/button-prefixes.js";
import { openDesk } from "../../support/desk-world.js";
import { t } from "../../support/drafts.js";
import { connectedAccounts, sharedAccount } from "../../support/fake-accounts.js";
import { BOT } from "../../support/fake-telegram.js";
import { paidMessage } from "../../support/payments.js";
import { rowsOf } from "../../support/rows-of.js";

const EVE = { ...ANN, id: 66, first_name: "Eve" };
const CHANNEL = { id: -6, type: "channel", title: "News" } as const;
const OTHER_BOT = { id: 777, is_bot: true, first_name: "Helper", username: "helper_bot" };
const ANONYMOUS = { ...ANN, id: 1087968824, is_bot: true as never, username: "GroupAnonymousBot" };

type Harness = Omit<ReturnType<typeof openBotHarness>, "say" | "press"> &
  Pick<ReturnType<typeof openDesk>, "say">;

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
/** Prefixes of the buttons that commands of admins show. */
const OF_ADMINS = ["ad", "ao", "au", "bc", "m", "mo", "pl", "rf", "st"];
/** Prefixes of all others: those of everybody, and what admins are shown unasked or where orders are elsewhere. */
const OF_OTHERS = "a bs c h i k l md nw ps r rc s sp t u w wc".split(" ");
/** Prefixes of buttons that admins may tap in a group: under these, and where support comes to the event chat. */
const OF_GROUPS = ["m", "pl"];
/** Buttons that something else than a command of admins shows. */
const SHOWN_ELSEWHERE = [paymentListData.encode({ userId: ANN.id })];

interface Way {
  from: typeof ANN;
  more: Partial<Message>;
  /** What is said to this way of speaking, whatever it asks for. */
  told?: string;
}

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

const inviteSums = { inviterKopecks: asKopecks(30_00), invitedKopecks: asKopecks(50_00) };
const KINDS = {
  managed: () => openDesk({ settings: { inviteSums } }),
  shared: () => openBotHarness({ accounts: sharedAccount() }),
  connected: () => openBotHarness({ accounts: connectedAccounts() }),
};
type Kind = keyof typeof KINDS;

/** A bot that knows Ann, Eve and the admin, and has what the commands are about. */
async function openKnown(kind: Kind): Promise<Harness> {
  const harness: Harness = KINDS[kind]();
  for (const from of [ANN, EVE, MAX]) await harness.say("/help", from);
  await harness.say("/help@atelier_bot", EVE, IN_GROUP);
  if (kind !== "managed") return harness;
  await harness.send(paidMessage({ ref: "unknown", price: 50 }, "c1"), ANN);
  await harness.sentOrder("o1", ANN.id);
  await harness.orders.endDelivery("o1", "sent", "sent", true);
  return harness;
}

function adminFeaturesOf(harness: Harness) {
  const features = createFeatures(harness.parts);
  return {
    commands: features.flatMap(({ adminCommands = [] }) => adminCommands),
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

/** Does what must change no row and tell nothing. */
async function attack(harness: Harness, allowed: Set<unknown>, acts: readonly (() => Promise<unknown>)[]) {
  const before = rowsOf(harness.database);
  for (const act of acts) {
    const calls = harness.calls.length;
    await act();
    for (const { method, payload } of harness.calls.slice(calls)) {
      expect(["sendMessage", "answerCallbackQuery"], String(act)).toContain(method);
      expect(allowed).toContain(payload.text);
    }
  }
  expect(rowsOf(harness.database)).toEqual(before);
}

function linesOf(command: string, atBot = ""): string[] {
  const lines = [`/${command}${atBot}`, `/${command}${atBot} ${WORDS[command] ?? ANN.id}`];
  return command === "refund" ? [...lines, `${refundLink(1)}${atBot}`] : lines;
}

/** The data of every button of admins that these calls showed. */
function dataIn(calls: Harness["calls"]): string[] {
  const keyboards = calls.map(({ payload }) => payload.reply_markup as InlineKeyboardMarkup | undefined);
  const shown = keyboards.flatMap((one) =>
    (one?.inline_keyboard ?? [])
      .flat()
      .map((button) => ("callback_data" in button && button.callback_data) || ""),
  );
  return shown.filter((data) => OF_ADMINS.includes(prefixOf(data)));
}

function prefixOf(data: string): string {
  return data.slice(0, data.indexOf(":"));
}

describe.each(Object.keys(KINDS) as Kind[])("where accounts are %s, an admin's command", (kind) => {
  test("does nothing for anybody else, forwarded, through other bots, for a channel or without a name", async () => {
    const harness = await openKnown(kind);
    for (const { from, more, told } of Object.values(WAYS)) {
      const atBot = more.chat ? `@${BOT.username}` : "";
      const lines = adminFeaturesOf(harness).commands.flatMap((name) => linesOf(name, atBot));
      const acts = lines.map((line) => () => harness.say(line, from, more));
      await attack(harness, wordsOfNothing(harness, told), acts);
    }
  });

  test("does nothing where an edit or a channel brings it", async () => {
    const harness = await openKnown(kind);
    const lines = adminFeaturesOf(harness).commands.flatMap((name) => linesOf(name));
    const acts = lines.flatMap((text) => {
      const entities = [
        { type: "bot_command" as const, offset: 0, length: text.split(" ", 1).join().length },
      ];
      const message = harness.message({ text, entities }, MAX);
      const post = { ...message, chat: CHANNEL, sender_chat: CHANNEL, from: undefined };
      return [
        () => harness.handle({ edited_message: message as never }),
        () => harness.handle({ channel_post: post as never }),
      ];
    });
    await attack(harness, wordsOfNothing(harness), acts);
  });

  test("is refused in a group, but for those that are meant for groups", async () => {
    const harness = await openKnown(kind);
    const told = t("admin-private-only");
    for (const command of adminFeaturesOf(harness).commands.filter((name) => !FOR_GROUPS.includes(name))) {
      const acts = linesOf(command, `@${BOT.username}`).map((line) => () => harness.say(line, MAX, IN_GROUP));
      const said = harness.said().length;
      await attack(harness, wordsOfNothing(harness, told), acts);
      expect(harness.said().slice(said), command).toEqual(acts.map(() => told));
    }
  });

  test("is answered to the admin who types it in private", async () => {
    const harness = await openKnown(kind);
    const none = wordsOfNothing(harness);
    for (const line of adminFeaturesOf(harness).commands.flatMap((name) => linesOf(name))) {
      const calls = harness.calls.length;
      await harness.say(line, MAX);
      const told = harness.calls.slice(calls).map(({ payload }) => payload.text ?? payload.caption);
      expect(
        told.filter((text) => text !== undefined && !none.has(text)),
        line,
      ).not.toEqual([]);
    }
  });
});

test("each kind of buttons is known as one of admins or of others, and has a prefix of its own", () => {
  expect(buttonPrefixes().toSorted()).toEqual([...OF_ADMINS, ...OF_OTHERS].toSorted());
});

test("no button of an admin does anything for anybody else, or in a group", async () => {
  const harness = await openKnown("managed");
  const allowed = wordsOfNothing(harness);
  for (let count = 0; count < ACTS; count += 1) await harness.say(`/credit ${ANN.id} 1`, MAX);
  const { commands } = adminFeaturesOf(harness);
  const tried = new Set<string>();
  const tryAll = async (shown: readonly string[]) => {
    const { lastId } = harness.telegram;
    const acts = shown.flatMap((data) => [
      () => harness.tap(data, lastId, EVE),
      () => harness.tap(data, lastId, EVE, IN_GROUP),
      ...(OF_GROUPS.includes(prefixOf(data)) ? [] : [() => harness.tap(data, lastId, MAX, IN_GROUP)]),
    ]);
    for (const data of shown) tried.add(data);
    if (shown.length > 0) await attack(harness, allowed, acts);
  };
  await tryAll(SHOWN_ELSEWHERE);
  /** Lets the admin act, and everybody else tap what it shows at once, before the admin does. */
  const follow = async (act: () => Promise<unknown>, depth: number): Promise<void> => {
    const calls = harness.calls.length;
    await act();
    const shown = dataIn(harness.calls.slice(calls)).filter((data) => !tried.has(data));
    await tryAll(shown);
    if (depth > 0)
      for (const data of shown)
        await follow(() => harness.tap(data, harness.telegram.lastId, MAX), depth - 1);
  };
  for (const line of commands.flatMap((name) => linesOf(name))) {
    await follow(() => harness.say(line, MAX), 1);
    // Some ask for words first.
    await follow(() => harness.say("50", MAX), 0);
  }
  const missed = OF_ADMINS.filter((prefix) => ![...tried].some((data) => prefixOf(data) === prefix));
  expect(missed).toEqual([]);
});

test("whom an admin may pick from Telegram's list tells nobody else anything", async () => {
  const harness = await openKnown("managed");
  const picked = { users_shared: { request_id: 1, users: [{ user_id: ANN.id }] } } as never;
  await attack(harness, new Set(), [
    () => harness.send(picked, EVE),
    () => harness.send({ ...(picked as object), ...IN_GROUP }, MAX),
  ]);
  const calls = harness.calls.length;
  await harness.send(picked, MAX);
  expect(harness.calls.length).toBeGreaterThan(calls);
});
