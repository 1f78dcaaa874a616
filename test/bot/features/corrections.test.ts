import { describe, expect, test } from "vitest";
import { addDebt, newestEntries } from "../../../src/accounts/ledger-store.js";
import { readCorrection } from "../../../src/bot/features/corrections.js";
import { asKopecks } from "../../../src/contract/price.js";
import { ANN, GROUP, IN_GROUP, MAX, openBotHarness } from "../../support/bot-harness.js";
import { openFullDisk, refusal } from "../../support/bot-world.js";
import { VERA } from "../../support/desk-world.js";
import { money, t } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";

const FLOOD = refusal(429, "Too Many Requests: retry after 40", { retry_after: 40 });

/** The bot, with what admins have corrected: sums of a debit are negative. */
function open(change: Parameters<typeof openBotHarness>[0] = {}) {
  const bot = openBotHarness(change);
  const { users } = bot.managed;
  const corrections = () =>
    [ANN.id, 8]
      .flatMap((userId) => newestEntries(bot.database, users.find(userId) ?? 0, 10))
      .map(({ account_id, amount: kopecks, reason, actor }) => {
        return { userId: users.userOf(account_id), kopecks, reason, actor };
      });
  return { ...bot, corrections };
}

test("a debit beyond the balance, and a correction of somebody who never wrote, change nothing and say why", async () => {
  const { say, said, corrections } = open();
  await say("/start");
  await say(`/credit ${ANN.id} 100`, MAX);
  await say(`/debit ${ANN.id} 100.01`, MAX);
  expect(said().at(-1)).toMatch(/Nothing was changed: .* has only .*100/);
  await say("/credit 999 5", MAX);
  expect(said().at(-1)).toBe(t("person-stranger"));
  expect(corrections()).toHaveLength(1);
});

test("an admin whose credit pays a debt is told so, but not where a group reads it", async () => {
  const { say, said, managed, database } = open();
  await say("/start");
  const accountId = managed.users.find(ANN.id) ?? 0;
  await database.write("debt", (tx) => addDebt(tx, accountId, asKopecks(25_00)));
  await say(`/credit ${ANN.id} 20`, MAX);
  expect(said().at(-1)).toContain(t("corrected-debt", { debt: money(20_00) }));
  await say(`/credit ${ANN.id} 20`, MAX, IN_GROUP);
  expect(said().at(-1)).toMatch(/^20\u00a0₽ added to [^.]*\.$/);
});

test("an admin whose correction may have been applied is told to check before repeating it", async () => {
  const { world } = openFullDisk("account:credit");
  const { say, said } = openBotHarness({ world });
  await say("/start");
  await say(`/credit ${ANN.id} 100`, MAX);
  expect(said().at(-1)).toBe(t("correction-given-up", { commands: `/credit ${ANN.id} 100` }));
});

test("no example in a usage text is a link to a person", async () => {
  const { say, telegram } = openBotHarness();
  for (const text of ["/credit", "/debit", "/balance <b>", "/help"]) await say(text, MAX);
  for (const { text, parse_mode } of telegram.payloadsOf("sendMessage")) {
    const shown = String(text).replace(/<code>.*?<\/code>/g, "");
    expect([shown.match(/@(?!help)\w+/g), parse_mode]).toEqual([null, "HTML"]);
  }
});

describe("a correction above the sum that asks once more", () => {
  async function openAsked() {
    const harness = open({ adminIds: [MAX.id, VERA.id] });
    await harness.say("/start");
    await harness.say(`/credit ${ANN.id} 10001 for a year`, MAX);
    const [yes = "", no = ""] = harness.buttons().values();
    const answer = (data: string) => harness.tap(data, undefined, MAX);
    return { ...harness, yes, no, answer };
  }

  test("is applied when its admin confirms, also after a restart, and only once, by however many taps", async () => {
    const asked = await openAsked();
    expect(asked.said().at(-1)).toContain("10,001");
    for (const other of [ANN, VERA]) await asked.tap(asked.yes, undefined, other);
    const notYours = t("tap-not-yours", { atBot: "" });
    expect([asked.corrections(), asked.answered()]).toEqual([[], [notYours, notYours]]);
    const { tap, corrections, answered } = open({ world: asked });
    await Promise.all([1, 2, 3].map(() => tap(asked.yes, 5, MAX)));
    expect(answered()).toEqual([undefined, undefined, undefined]);
    await tap(asked.yes, undefined, MAX);
    const actor = `telegram:${MAX.id}`;
    expect(corrections()).toEqual([{ userId: ANN.id, kopecks: 10_001_00, reason: "for a year", actor }]);
    expect(answered().at(-1)).toBe(t("tap-unknown"));
  });

  test("is not asked at the sum itself", async () => {
    const { say, corrections } = await openAsked();
    await say(`/credit ${ANN.id} 10000`, MAX);
    expect(corrections()).toHaveLength(1);
  });

  test("is no longer to confirm by who is no admin any more", async () => {
    const asked = await openAsked();
    const { tap, corrections, answered } = open({ world: asked, adminIds: [VERA.id] });
    await tap(asked.yes, undefined, MAX);
    expect([corrections(), answered()]).toEqual([[], [t("tap-not-yours", { atBot: "" })]]);
  });

  test("is dropped by the other button, and cannot be confirmed after ten minutes or with a clock set back", async () => {
    const dropped = await openAsked();
    for (const data of [dropped.no, dropped.yes]) await dropped.answer(data);
    expect([dropped.corrections(), dropped.said().at(-1)]).toEqual([[], t("correction-cancelled")]);
    for (const minutes of [10, -10]) {
      const late = await openAsked();
      late.clock.step(minutes * 60_000);
      await late.answer(late.yes);
      expect([late.corrections(), late.said().at(-1)]).toEqual([[], t("correction-ask-over")]);
    }
  });

  test.each([
    ["yes", 0],
    ["yes", 10 * 60_000],
    ["no", 0],
  ] as const)(
    "is not denied after a crash that came after it was applied: %s, %i ms later",
    async (word, ms) => {
      const asked = await openAsked();
      const { users } = asked.managed;
      const credit = users.credit.bind(users);
      users.credit = async (correction) => {
        users.credit = credit;
        await credit(correction);
        throw new Error("the process ended");
      };
      await asked.answer(asked.yes);
      await asked.clock.advance(ms);
      await asked.answer(asked[word]);
      expect(asked.corrections()).toHaveLength(1);
      for (const key of ["correction-cancelled", "correction-ask-over"])
        expect(asked.said()).not.toContain(t(key));
      expect(asked.said().join()).toContain("added to");
    },
  );
});

test("a correction in a group tells no balance, and one that runs again is of the person of the first time", async () => {
  const { say, telegram, corrections } = open();
  await say("/start", { ...ANN, username: "foxes" } as never);
  telegram.answer("getChat", { id: ANN.id, type: "private", username: "foxes" });
  const correct = () => say("/credit@atelier_bot @foxes 5", MAX, { ...IN_GROUP, message_id: 5000 });
  await correct();
  const inGroup = telegram.payloadsOf("sendMessage").filter(({ chat_id }) => chat_id === GROUP.id);
  expect(inGroup).toHaveLength(1);
  expect(inGroup[0]?.text).not.toContain(t("corrected-balance", { balance: money(5_00) }));
  // The name has moved since.
  telegram.answer("getChat", { id: ANN.id, type: "private", username: "wolves" });
  telegram.calls.length = 0;
  await correct();
  const told = telegram.payloadsOf("sendMessage").map(({ chat_id }) => chat_id);
  expect(told).toEqual([ANN.id, GROUP.id]);
  expect(corrections()).toMatchObject([{ userId: ANN.id, kopecks: 5_00 }]);
  await say(`/debit@atelier_bot ${ANN.id} 7`, MAX, IN_GROUP);
  expect(telegram.said().at(-1)).toContain("Nothing was changed");
  expect(telegram.said().at(-1)).not.toContain(money(5_00));
});

describe("a person whom an admin names by @name", () => {
  const FOXES = { ...ANN, username: "foxes" };

  async function openNamed() {
    const bot = open();
    await bot.say("/start", FOXES);
    return bot;
  }

  test("is corrected where Telegram confirms the name, and the answer shows id, @name and display name", async () => {
    const { say, said, telegram, corrections } = await openNamed();
    telegram.answer("getChat", { id: ANN.id, type: "private", active_usernames: ["Foxes"] });
    await say("/credit @FOXES 50 for an idea", MAX);
    expect(said().at(-1)).toContain(`<b>Ann</b> (@foxes, id <code>${ANN.id}</code>)`);
    expect(corrections()).toMatchObject([{ kopecks: 50_00, reason: "for an idea" }]);
  });

  test.each(["/credit @foxes 50", "/debit @foxes 50", "/balance @foxes"])(
    "is not meant by %s where the name is another's now, or Telegram does not tell whose",
    async (command) => {
      const { say, said, telegram, corrections } = await openNamed();
      telegram.answer("getChat", { id: ANN.id, type: "private", username: "wolves" });
      await say(command, MAX);
      expect(said().at(-1)).toBe(t("person-renamed", { name: "@foxes" }));
      telegram.failNext("getChat", refusal(400, "Bad Request: chat not found"));
      await say(command, MAX);
      expect(said().at(-1)).toBe(t("person-unchecked", { name: "@foxes" }));
      expect(corrections()).toEqual([]);
    },
  );
});

test("a reply corrects the author of a message, and nobody where it would be unclear who is meant", async () => {
  const { say, said, message, corrections } = open();
  await say("/start");
  const reply = (change: object, place: object = {}) => {
    const reply_to_message = { ...message({ text: "hi" }, ANN), ...change } as never;
    return say("/credit 70", MAX, { reply_to_message, ...place });
  };
  for (const [change, place] of [
    [{ forward_origin: { type: "user", date: 1, sender_user: ANN } }],
    [{ sender_chat: GROUP }],
    [{ from: { ...ANN, is_bot: true } }],
    // The first message of a topic is what all others there seem to reply to.
    [{ message_id: 5 }, { is_topic_message: true, message_thread_id: 5 }],
  ]) {
    await reply(change ?? {}, place);
    expect([said().at(-1), corrections()]).toEqual([expect.stringContaining("Usage: /credit"), []]);
  }
  await reply({});
  expect(corrections()).toMatchObject([{ userId: ANN.id, kopecks: 70_00 }]);
});

test("an admin whose group takes no messages learns in private what became of a correction", async () => {
  const { say, telegram, corrections } = open();
  await say("/start");
  telegram.calls.length = 0;
  telegram.refuse("sendMessage", FLOOD, ({ chat_id }) => chat_id === GROUP.id);
  await say(`/credit@atelier_bot ${ANN.id} 5`, MAX, IN_GROUP);
  const told = telegram.payloadsOf("sendMessage").map(({ chat_id }) => chat_id);
  expect(told).toEqual([ANN.id, GROUP.id, MAX.id]);
  expect(corrections()).toHaveLength(1);
  await say(`/credit@atelier_bot ${ANN.id}`, MAX, IN_GROUP);
  const commands = `/credit@atelier_bot ${ANN.id}`;
  expect(telegram.said().at(-1)).toBe(t("correction-given-up", { commands }));
});

test("the button that returns to the card stays under the last credit only, and goes when it is tapped", async () => {
  const { say, tap, telegram, card } = openBotHarness();
  await say("a fox");
  const { id, revision } = card();
  const goOn = `c:${id}:${revision}:s`;
  const notices: unknown[] = [];
  for (const sum of [5, 6]) {
    const before = telegram.callsOf("sendMessage").length;
    const release = telegram.hold("sendMessage");
    const done = say(`/credit ${ANN.id} ${sum}`, MAX);
    await eventually("the notice", () => telegram.callsOf("sendMessage").length > before);
    notices.push(telegram.lastId);
    release();
    await done;
  }
  const emptied = () => telegram.payloadsOf("editMessageReplyMarkup").map(({ message_id }) => message_id);
  expect([...telegram.buttons().values()]).toEqual([goOn]);
  expect(emptied()).toEqual([notices[0]]);
  await tap(goOn, Number(notices[1]));
  expect(emptied()).toEqual(notices);
});

describe("the words after /credit and /debit", () => {
  const REPLIED = { id: 7 };
  const ANNA = { id: 102, name: "Anna", username: "anna", locale: "en" };
  const people = {
    find: (id: number) => (id === 102 ? ANNA : undefined),
    findByUsername: (name: string) => (name.toLowerCase() === "anna" ? ANNA : undefined),
  };
  const readIn = (text: string, replied?: { id: number }) => readCorrection(text, replied, people);

  test.each([
    ["@boris 50", { person: { username: "boris" }, kopecks: 5000, reason: null }],
    ["Anna 50", { person: { username: "Anna" }, kopecks: 5000, reason: null }],
    ["102 12,5 for an idea", { person: { id: 102 }, kopecks: 1250, reason: "for an idea" }],
    ["  @boris\n0.01  x ", { person: { username: "boris" }, kopecks: 1, reason: "x" }],
    [
      "@boris 10 2 films that failed",
      { person: { username: "boris" }, kopecks: 1000, reason: "2 films that failed" },
    ],
  ])("%j names a person, an amount and an optional reason", (text, request) => {
    expect(readIn(text)).toEqual(request);
  });

  test.each([
    ["", { fault: "empty", word: "" }],
    ["boris 50", { fault: "person", word: "boris" }],
    ["@bo! 50", { fault: "person", word: "@bo!" }],
    ["@boris", { fault: "amount_missing", word: "" }],
    ["50", { fault: "amount_missing", word: "" }],
    ["@boris сто", { fault: "amount", word: "сто" }],
    ["@boris 0", { fault: "amount", word: "0" }],
    ["@boris 10 50", { fault: "amount_twice", word: "50" }],
    ["@boris 10 50,5 ₽", { fault: "amount_twice", word: "50,5 ₽" }],
    ["@boris 10 +7 900 123", { fault: "amount_twice", word: "+7 900 123" }],
    ["@boris 1 000", { fault: "amount_split", word: "1 000" }],
    ["@boris 1 000 for the prints", { fault: "amount_split", word: "1 000" }],
    ["@boris 1\u00a0000", { fault: "amount_split", word: "1 000" }],
    ["@boris 12 500,50", { fault: "amount_split", word: "12 500,50" }],
  ])("%j is rejected, and the error names the wrong part", (text, fault) => {
    expect(readIn(text)).toEqual(fault);
  });

  test.each([
    ["7 for a laugh", { person: REPLIED, kopecks: 700, reason: "for a laugh" }],
    ["@boris 7", { person: { username: "boris" }, kopecks: 700, reason: null }],
    ["anna 7", { person: { username: "anna" }, kopecks: 700, reason: null }],
    ["anna", { fault: "amount", word: "anna" }],
    ["5 7", { fault: "two_meanings", word: "5" }],
    ["102", { fault: "two_meanings", word: "102" }],
    ["1 000", { fault: "two_meanings", word: "1" }],
  ])(
    "%j in a reply refers to the author of the replied message where that is unambiguous",
    (text, request) => {
      expect(readIn(text, REPLIED)).toEqual(request);
    },
  );
});
