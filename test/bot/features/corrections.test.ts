import { describe, expect, test } from "vitest";
import { asKopecks } from "../../../src/contract/price.js";
import { ADMIN_ID, ANN, openBotHarness } from "../../support/bot-harness.js";
import { type BotWorld, openBotWorld, refusal } from "../../support/bot-world.js";
import { texts } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";

const { t } = texts.in("en");
const GROUP = { id: -1001, type: "supergroup", title: "Friends" } as const;
const FLOOD = refusal(429, "Too Many Requests: retry after 40", { retry_after: 40 });
const ADMIN = { ...ANN, id: ADMIN_ID, first_name: "Max" };

/** The bot, with what admins have corrected: sums of a debit are negative. */
function open(change: Parameters<typeof openBotHarness>[0] = {}) {
  const bot = openBotHarness(change);
  const { records } = bot.managed;
  const corrections = () =>
    [ANN.id, 8]
      .flatMap((userId) => (records.of(userId)?.entries ?? []).map((entry) => ({ ...entry, userId })))
      .map(({ userId, kopecks, note: reason, actor }) => ({ userId, kopecks, reason, actor }));
  return { ...bot, corrections };
}

test.each(["credit", "debit"])("/%s changes a balance and tells the person and the admin", async (kind) => {
  const { say, calls, corrections } = open();
  await say("/start");
  if (kind === "debit") await say(`/credit ${ANN.id} 100`, ADMIN);
  calls.length = 0;
  await say(`/${kind} ${ANN.id} 100 thanks`, ADMIN);
  const [kopecks, actor] = [kind === "debit" ? -100_00 : 100_00, `telegram:${ADMIN_ID}`];
  expect(corrections()[0]).toEqual({ userId: ANN.id, kopecks, reason: "thanks", actor });
  const told = calls.filter(({ method }) => method === "sendMessage").map(({ payload }) => payload.chat_id);
  expect(told).toEqual([ANN.id, ADMIN_ID]);
});

test("a debit beyond the balance, and a correction of somebody who never wrote, change nothing and say why", async () => {
  const { say, said, corrections } = open();
  await say("/start");
  await say(`/credit ${ANN.id} 100`, ADMIN);
  await say(`/debit ${ANN.id} 100.01`, ADMIN);
  expect(said().at(-1)).toMatch(/Nothing was changed: .* has only .*100/);
  await say("/credit 999 5", ADMIN);
  expect(said().at(-1)).toBe(t("person-stranger"));
  expect(corrections()).toHaveLength(1);
});

test("an admin whose correction may have been applied is told to check before repeating it", async () => {
  const world = openBotWorld((point) => {
    if (point === "commit:before:account:credit") throw new Error("broken");
  });
  const { say, said } = openBotHarness({ world });
  await say("/start");
  await say(`/credit ${ANN.id} 100`, ADMIN);
  expect(said().at(-1)).toBe(t("correction-given-up", { commands: `/credit ${ANN.id} 100` }));
});

test("no example in a usage text is a link to a person", async () => {
  const { say, telegram } = openBotHarness();
  for (const text of ["/credit", "/debit", "/balance <b>", "/help"]) await say(text, ADMIN);
  for (const { text, parse_mode } of telegram.payloadsOf("sendMessage")) {
    const shown = String(text).replace(/<code>.*?<\/code>/g, "");
    expect({ mentions: shown.match(/@(?!help)\w+/g), parse_mode }).toEqual({
      mentions: null,
      parse_mode: "HTML",
    });
  }
});

describe("a correction above the sum that asks once more", () => {
  const COMMAND = `/credit ${ANN.id} 10001 for a year`;

  async function openAsked(world?: BotWorld) {
    const harness = open(world && { world });
    if (!world) {
      await harness.say("/start");
      await harness.say(COMMAND, ADMIN);
    }
    const [yes = "", no = ""] = harness.buttons().values();
    return { ...harness, yes, no };
  }

  test("is applied when its admin confirms, and only once, by however many taps", async () => {
    const { tap, corrections, yes, said, answered } = await openAsked();
    expect(corrections()).toEqual([]);
    expect(said().at(-1)).toContain("10,001");
    await Promise.all([1, 2, 3].map(() => tap(yes, undefined, ADMIN)));
    await tap(yes, undefined, ADMIN);
    const actor = `telegram:${ADMIN_ID}`;
    expect(corrections()).toMatchObject([
      { userId: ANN.id, kopecks: asKopecks(10_001_00), reason: "for a year", actor },
    ]);
    expect(answered().at(-1)).toBe(t("tap-unknown"));
  });

  test("is not asked at the sum itself", async () => {
    const { say, corrections } = await openAsked();
    await say(`/credit ${ANN.id} 10000`, ADMIN);
    expect(corrections()).toHaveLength(1);
  });

  test("is nobody else's to confirm, another admin's neither", async () => {
    const { tap, corrections, yes, answered } = await openAsked();
    await tap(yes);
    expect([corrections(), answered()]).toEqual([[], [t("tap-not-yours", { atBot: "" })]]);
  });

  test("is dropped by the other button", async () => {
    const { tap, corrections, yes, no, said } = await openAsked();
    await tap(no, undefined, ADMIN);
    expect(said().at(-1)).toBe(t("correction-cancelled"));
    await tap(yes, undefined, ADMIN);
    expect(corrections()).toEqual([]);
  });

  test("cannot be confirmed after ten minutes", async () => {
    const { tap, corrections, yes, clock, said } = await openAsked();
    await clock.advance(10 * 60_000);
    await tap(yes, undefined, ADMIN);
    expect([corrections(), said().at(-1)]).toEqual([[], t("correction-ask-over")]);
  });

  /** The process ends between the commit of the correction and the answer to its question. */
  async function openInterrupted() {
    const asked = await openAsked();
    const { admin } = asked.managed;
    const credit = admin.credit.bind(admin);
    admin.credit = async (correction) => {
      admin.credit = credit;
      await credit(correction);
      throw new Error("the process ended");
    };
    await asked.tap(asked.yes, undefined, ADMIN);
    return asked;
  }

  test.each(["yes", "no"] as const)("is not denied after it was applied: %s", async (answer) => {
    const asked = await openInterrupted();
    await asked.tap(asked[answer], undefined, ADMIN);
    expect(asked.corrections()).toHaveLength(1);
    expect(asked.said()).not.toContain(t("correction-cancelled"));
    expect(asked.said().join()).toContain("added to");
  });

  test("is not denied when the tap that applied it is handled again after ten minutes", async () => {
    const { tap, yes, said, clock } = await openInterrupted();
    await clock.advance(10 * 60_000);
    await tap(yes, undefined, ADMIN);
    expect(said()).not.toContain(t("correction-ask-over"));
    expect(said().join()).toContain("added to");
  });

  test("is what it was after a restart", async () => {
    const before = await openAsked();
    const { tap, corrections } = await openAsked(before);
    await tap(before.yes, undefined, ADMIN);
    expect(corrections()).toMatchObject([{ userId: ANN.id, kopecks: 10_001_00, reason: "for a year" }]);
  });
});

test("an admin whose group takes no messages learns in private what became of a correction", async () => {
  const { say, telegram, corrections } = open();
  await say("/start");
  telegram.calls.length = 0;
  telegram.refuse("sendMessage", FLOOD, ({ chat_id }) => chat_id === GROUP.id);
  await say(`/credit@atelier_bot ${ANN.id} 5`, ADMIN, { chat: GROUP });
  expect(telegram.payloadsOf("sendMessage").map(({ chat_id }) => chat_id)).toEqual([
    ANN.id,
    GROUP.id,
    ADMIN_ID,
  ]);
  expect(corrections()).toHaveLength(1);
  await say(`/credit@atelier_bot ${ANN.id}`, ADMIN, { chat: GROUP });
  const commands = `/credit@atelier_bot ${ANN.id}`;
  expect(telegram.said().at(-1)).toBe(t("correction-given-up", { commands }));
});

test("the button that returns to the card stays under the last credit only, and goes when it is tapped", async () => {
  const { say, tap, telegram, drafts } = openBotHarness();
  await say("a fox");
  const { id, revision } = drafts.composing(ANN.id, ANN.id) ?? {};
  const goOn = `c:${id}:${revision}:s`;
  const notices: unknown[] = [];
  for (const sum of [5, 6]) {
    const before = telegram.callsOf("sendMessage").length;
    const release = telegram.hold("sendMessage");
    const done = say(`/credit ${ANN.id} ${sum}`, ADMIN);
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
