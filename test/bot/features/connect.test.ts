import { describe, expect, test } from "vitest";
import { findKey, readKey, tellRefusedKeys } from "../../../src/bot/features/connect.js";
import { isConnected } from "../../../src/bot/modules.js";
import { Unavailable } from "../../../src/contract/errors.js";
import { table } from "../../../src/database/table.js";
import { createTextCipher } from "../../../src/platform/text-cipher.js";
import type { DisconnectOutcome, RefusedKey } from "../../../src/service/accounts.js";
import { ANN, IN_GROUP, MAX, openBotHarness, PHOTO } from "../../support/bot-harness.js";
import { refusal } from "../../support/bot-world.js";
import { catalogue } from "../../support/core.js";
import { t } from "../../support/drafts.js";
import { connectedAccounts, FakeConnections, KEY } from "../../support/fake-accounts.js";
import { BOT } from "../../support/fake-telegram.js";

const OTHER_KEY = "key_zyxwvutsrq98765432";

function open({ models = catalogue.models, allowedUsers = [] as number[] } = {}) {
  const connections = new FakeConnections();
  const harness = openBotHarness({
    accounts: connectedAccounts({ connections, catalogue: () => models }),
    isConnected: () => connections.isConnected,
    allowedUsers,
    cipher: createTextCipher([Buffer.alloc(32, 1)]),
  });
  const removals = () =>
    table("removal")
      .all(harness.database, {})
      .map(({ message_id }) => message_id);
  return { ...harness, connections, removals };
}

type World = ReturnType<typeof open>;
const SENT = { message_id: 77 };

describe("/connect", () => {
  test.each<[string, (world: World) => Promise<unknown>]>([
    ["/connect", ({ say }) => say(`/connect ${KEY}`, ANN, SENT)],
    ["/connect@atelier_bot", ({ say }) => say(`/connect@atelier_bot ${KEY}`, ANN, SENT)],
    ["/CONNECT", ({ say }) => say(`/CONNECT ${KEY}`, ANN, SENT)],
    ["an edit", ({ edit }) => edit(SENT.message_id, `/connect ${KEY}`)],
    ["a caption", ({ send }) => send({ ...SENT, photo: PHOTO, caption: `/connect ${KEY}` })],
  ])("by %s with the key connects it, removes the message, and asks about no picture", async (_way, send) => {
    const world = open();
    await send(world);
    expect(world.connections.keys).toEqual([KEY]);
    expect(world.said()).toEqual([t("connected", { balance: "120\u00a0₽" })]);
    expect(world.removals()).toEqual([SENT.message_id]);
  });

  test("asks for the key, which the next message carries, and stores the dialog encrypted", async () => {
    const { say, said, connections, removals, database } = open();
    await say("/connect");
    expect(said().at(-1)).toBe(t("connect-ask"));
    connections.answer = () => ({ outcome: "refused" });
    await say(KEY);
    expect(said().at(-1)).toBe(t("connect-key-refused"));
    const [stored] = table("dialog").all(database, {});
    expect(stored?.state).toMatch(/^sealed:/);
    await say("two words");
    expect(said().at(-1)).toBe(t("connect-no-key"));
    expect(connections.keys).toEqual([KEY]);
    expect(removals()).toHaveLength(2);
    expect(table("draft").all(database, {})).toEqual([]);
  });

  test("a key in a group is removed and not taken", async () => {
    const { say, said, connections, removals } = open();
    for (const words of [`/connect ${KEY}`, "/connect", "/disconnect"]) await say(words, ANN, IN_GROUP);
    expect(said()).toEqual(
      ["connect-in-group", "connect-private-only", "connect-private-only"].map((key) => t(key)),
    );
    await say(`/connect@other_bot ${KEY}`, ANN, IN_GROUP);
    expect(removals(), "another bot's command is left alone").toHaveLength(1);
    expect(connections.keys).toEqual([]);
  });

  test.each([
    ["an anonymous admin", { id: 1_087_968_824, is_bot: true }, { sender_chat: IN_GROUP.chat }],
    ["somebody whom the bot does not serve", { id: 99 }, {}],
  ])("a key of %s is removed from the group too", async (_who, from, more) => {
    const { say, connections, removals } = open({ allowedUsers: [ANN.id] });
    await say(`/connect ${KEY}`, { ...ANN, ...from } as never, { ...IN_GROUP, ...more } as never);
    expect(removals()).toHaveLength(1);
    expect(connections.keys).toEqual([]);
  });

  test("after a tap elsewhere, and after its ✖️ button, the next text is no key", async () => {
    const { say, tap, said, connections, labels } = open();
    connections.isConnected = true;
    await say("/connect");
    await tap(`l:en:${ANN.id}`);
    await say("a red fox");
    expect(said()).not.toContain(t("connect-no-key"));
    expect(labels().join()).toContain("✅");
    await say("/connect");
    await tap("a:l");
    expect(said()).toContain(t("connect-left"));
    await say("a fox that jumps");
    expect(connections.keys).toEqual([]);
  });

  test("a service that does not answer keeps the question open", async () => {
    const { say, said, connections } = open();
    await say("/connect");
    const { answer } = connections;
    connections.answer = () => {
      throw new Unavailable("unreachable");
    };
    await say(KEY);
    expect(said().at(-1)).toBe(t("connect-unavailable"));
    connections.answer = answer;
    await say(KEY);
    expect(connections.isConnected).toBe(true);
  });

  test("says what becomes of the orders of earlier accounts, and offers to go on with an open card", async () => {
    const { say, said, labels, connections } = open();
    await say("/image a red fox");
    const balance = { currency: "RUB", amount: 1 } as const;
    const earlier = { followed: 1, waiting: 2 };
    connections.answer = () => ({ outcome: "connected", balance, resumed: 3, earlier });
    await say(`/connect ${KEY}`);
    const counts = { resumed: 3, "earlier-followed": 1, "earlier-waiting": 2 };
    for (const [key, count] of Object.entries(counts))
      expect(said().at(-1)).toContain(t(`connected-${key}`, { count }));
    expect(labels()).toContain(t("button-go-on"));
  });
});

describe("without an account", () => {
  test.each([
    ["/balance", {}, "connect-first"],
    ["/image a fox", {}, "connect-first"],
    ["a fox in the snow", {}, "connect-first"],
    ["/image a fox", IN_GROUP, "connect-first-group"],
  ])(
    "%s asks to connect one, in a group in the private chat, and so does a tap",
    async (words, more, key) => {
      const { say, tap, said, answered } = open({ models: [] });
      await say(words, ANN, more);
      expect(said()).toEqual([t(key)]);
      await tap("s:image");
      expect(answered()).toEqual([t("connect-first")]);
    },
  );

  test("/start and /help work and say how to connect one, also before anybody's models are known", async () => {
    const first = open({ models: [] });
    await first.say("/start");
    expect(first.said().at(-1)).toContain(t("connect-first"));
    const { say, said, buttons } = open();
    await say("/start");
    expect(said().at(-1)).toContain(t("connect-first"));
    expect([...buttons().keys()]).toContain(t("button-type-image"));
    await say("/help");
    expect(said().at(-1)).toContain(t("help-connect"));
    expect(said().at(-1)).not.toContain("/keys");
  });

  test("a key that is sent as a plain text is taken, and gets into no draft", async () => {
    const { say, connections, removals, database } = open();
    await say(KEY);
    expect(connections.keys).toEqual([KEY]);
    expect(removals()).toHaveLength(1);
    expect(table("draft").all(database, {})).toEqual([]);
  });
});

describe("another key that a person with an account sends", () => {
  function openConnected() {
    const world = open();
    world.connections.isConnected = true;
    return world;
  }

  test.each<[string, (world: World) => Promise<unknown>]>([
    ["bare", ({ say }) => say(OTHER_KEY, ANN, SENT)],
    ["after a word", ({ say }) => say(`connect ${OTHER_KEY}`, ANN, SENT)],
    ["in quotes, in a sentence", ({ say }) => say(`my new key is “${OTHER_KEY}”.`, ANN, SENT)],
    ["as a prompt", ({ say }) => say(`/image ${OTHER_KEY}`, ANN, SENT)],
    ["after a command with a typo", ({ say }) => say(`/conect ${OTHER_KEY}`, ANN, SENT)],
    ["by an edit", ({ edit }) => edit(SENT.message_id, OTHER_KEY)],
    ["as a caption", ({ send }) => send({ ...SENT, photo: PHOTO, caption: OTHER_KEY })],
  ])("%s is deleted, repeated nowhere, stored nowhere, and connected after a tap", async (_way, send) => {
    const world = openConnected();
    const { said, removals, connections, calls, database, tap, buttons } = world;
    await send(world);
    expect(said()).toEqual([t("connect-offer")]);
    expect(removals()).toEqual([SENT.message_id]);
    expect(connections.keys).toEqual([]);
    expect(table("draft").all(database, {})).toEqual([]);
    await tap(buttons().get(t("button-connect-key")) ?? "");
    expect(connections.keys).toEqual([OTHER_KEY]);
    expect(JSON.stringify(calls)).not.toContain(OTHER_KEY);
  });

  test("is taken once, for a while, and not after another one or a refusal", async () => {
    const { say, tap, buttons, connections, clock } = openConnected();
    const offered = () => buttons().get(t("button-connect-key")) ?? "";
    await say(OTHER_KEY);
    const take = offered();
    for (let time = 0; time < 2; time += 1) await tap(take);
    expect(connections.keys).toEqual([OTHER_KEY]);
    await say(OTHER_KEY);
    const first = offered();
    await say(KEY);
    await tap(first);
    await tap("a:l");
    await tap(offered());
    // A clock that is set back keeps it no longer.
    for (const step of [0, -3_600_000]) {
      await say(OTHER_KEY);
      clock.step(step);
      await clock.advance(10 * 60_000);
      await tap(offered());
    }
    expect(connections.keys).toEqual([OTHER_KEY]);
  });

  test.each([true, false])("in a group is deleted and refused (with an account: %s)", async (isConnected) => {
    const { say, said, removals, connections } = open();
    connections.isConnected = isConnected;
    await say(OTHER_KEY, ANN, { ...IN_GROUP, reply_to_message: { from: BOT } } as never);
    expect(said()).toEqual([t("connect-in-group")]);
    expect(removals()).toHaveLength(1);
    expect(connections.keys).toEqual([]);
  });
});

describe("with an account", () => {
  test("a refused key is told in words, and nothing is said of a fault", async () => {
    const connections = new FakeConnections();
    const balance = () => Promise.reject(new Unavailable("account"));
    const { say, said } = openBotHarness({
      accounts: connectedAccounts({ connections }),
      gateway: { balance },
    });
    await say("/balance");
    expect(said()).toEqual([t("connect-refused")]);
  });

  test.each<[DisconnectOutcome, string]>([
    [{ outcome: "disconnected", openOrders: 0 }, t("disconnected")],
    [{ outcome: "disconnected", openOrders: 2 }, t("disconnected-open", { count: 2 })],
    [{ outcome: "not_connected" }, t("disconnect-nothing")],
  ])("/disconnect says what has become of it: $outcome", async (left, words) => {
    const { say, said, connections } = open();
    connections.left = left;
    await say("/disconnect");
    await say("/balance 7", MAX);
    expect(said()).toEqual([words, t("balance-elsewhere-own")]);
  });
});

describe("a key that stops working", () => {
  function openTeller() {
    const world = open();
    if (isConnected(world.parts)) tellRefusedKeys(world.parts);
    return world;
  }

  test.each<[Omit<RefusedKey, "userId">, string]>([
    [{ isCurrent: true, openOrders: 0 }, t("key-stopped")],
    [{ isCurrent: true, openOrders: 2 }, `${t("key-stopped")} ${t("key-stopped-open", { count: 2 })}`],
    [{ isCurrent: false, openOrders: 1 }, t("key-stopped-earlier", { count: 1 })],
  ])("is told to its person: %o", async (facts, words) => {
    const { connections, said } = openTeller();
    await connections.tell({ userId: ANN.id, ...facts });
    expect(said()).toEqual([words]);
  });

  test("is told again later when Telegram does not take it, and not to a person who has blocked the bot", async () => {
    const { connections, telegram } = openTeller();
    const key = { userId: ANN.id, isCurrent: true, openOrders: 0 };
    telegram.failNext("sendMessage", refusal(500, "Internal Server Error"));
    await expect(connections.tell(key)).rejects.toThrow();
    telegram.failNext("sendMessage", refusal(403, "Forbidden: bot was blocked by the user"));
    await expect(connections.tell(key)).resolves.toBeUndefined();
  });
});

const LONG = "foreign-key-0123456789";

test.each([
  [LONG, LONG, LONG],
  [`  ${LONG}\n`, LONG, LONG],
  [`my key: ${LONG}`, LONG, LONG],
  ["short-1", undefined, undefined],
  ["short-key-1", "short-key-1", undefined],
  ["a red fox in the snow", undefined, undefined],
  ["ключ-из-кабинета-сервиса", undefined, undefined],
  [`${LONG} ${LONG}2`, undefined, undefined],
  [`look at https://a.example/${LONG}`, undefined, undefined],
  [`https://a.example/${LONG}`, undefined, undefined],
  [`/image ${LONG.repeat(30)}`, undefined, undefined],
  ["", undefined, undefined],
])("%j: as the answer to the question for a key %j, anywhere else %j", (text, asked, found) => {
  expect(readKey(text)).toBe(asked);
  expect(findKey(text)).toBe(found);
});
