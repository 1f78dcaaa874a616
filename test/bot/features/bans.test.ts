import { beforeEach, describe, expect, test } from "vitest";
import { readBanTerms } from "../../../src/bot/features/bans.js";
import { ANN, BORIS, MAX } from "../../support/bot-harness.js";
import { refusal } from "../../support/bot-world.js";
import { order } from "../../support/core.js";
import { type Desk, openDesk, VERA } from "../../support/desk-world.js";
import { t } from "../../support/drafts.js";

let desk: Desk;
beforeEach(async () => {
  desk = openDesk();
  await desk.say("/start");
  await desk.say("/start", BORIS);
});

const banOf = (userId: number) => desk.core.core.accounts.users.banOf(userId);

describe("/ban and /unban", () => {
  test("stop a person's orders and allow them again, with both told and a row for each act", async () => {
    expect(await desk.max(`/ban ${ANN.id} spam 7d`)).toContain("Ann");
    expect(banOf(ANN.id)).toMatchObject({ reason: "spam", until_at: (desk.now() + 7 * 86_400) * 1000 });
    expect(desk.toldTo(ANN.id).at(-1)).toContain(t("told-ban"));
    expect(desk.toldTo(ANN.id).at(-1)).toContain("spam");
    const ann = await desk.core.person(ANN.id, 100_00);
    await expect(order(ann, "one")).rejects.toThrow("account_banned");
    expect(await ann.balance()).toMatchObject({ amount: 100 });

    await desk.max(`/unban ${ANN.id}`);
    expect(desk.toldTo(ANN.id).at(-1)).toBe(t("told-unban"));
    await order(ann, "one");
    const acts = desk.acts().filter(({ act }) => act !== "credit");
    expect(acts).toMatchObject([
      { act: "unban", actor: `telegram:${MAX.id}`, reason: "spam", after: null },
      { act: "ban", actor: `telegram:${MAX.id}`, reason: "spam", before: null },
    ]);
  });

  test("let the banned person read the balance, and refuse the order in words with the card kept", async () => {
    await desk.core.person(ANN.id, 100_00);
    await desk.say("a fox");
    const pay = [...desk.buttons()].find(([label]) => label.startsWith("✅"))?.[1] ?? "";
    await desk.max(`/ban ${ANN.id}`);
    await desk.say("/balance");
    expect(desk.said().at(-1)).toContain("100");
    await desk.tap(pay, desk.card().messageId ?? 0);
    expect(desk.answered().at(-1)).toBe(t("refused-account_banned"));
    expect(desk.card()).toBeDefined();
    await desk.say("a cat");
    expect(desk.said().at(-1)).toContain(t("refused-account_banned"));
    expect(desk.labels().join()).not.toContain("✅");
  });

  test("bring the open card back with the word that orders are allowed again", async () => {
    await desk.core.person(ANN.id, 100_00);
    await desk.max(`/ban ${ANN.id}`);
    await desk.say("a fox");
    await desk.max(`/unban ${ANN.id}`);
    expect(desk.toldTo(ANN.id).at(-1)).toBe(t("told-unban"));
    await desk.press(t("button-go-on"), ANN);
    expect(desk.labels().join()).toContain("✅");
  });

  test("of which the second was cut off after its commit tell the person when it is handled again", async () => {
    await desk.max(`/ban ${ANN.id}`);
    const again = { message_id: 4000, date: desk.now() };
    await desk.max(`/unban ${ANN.id}`, again);
    await desk.core.clock.advance(5000);
    expect(await desk.max(`/unban ${ANN.id}`, again)).toContain("can order again");
    expect(desk.toldTo(ANN.id).filter((text) => text === t("told-unban"))).toHaveLength(2);
    expect(await desk.max(`/unban ${ANN.id}`)).toContain("isn’t banned");
    await desk.say(`/unban ${ANN.id}`, VERA, again);
    expect(desk.said().at(-1)).toContain("isn’t banned");
    expect(desk.acts().map(({ act }) => act)).toEqual(["unban", "ban"]);
  });

  test("say so where the person cannot be told", async () => {
    desk.telegram.refuse(
      "sendMessage",
      refusal(403, "Forbidden: bot was blocked by the user"),
      (payload) => payload.chat_id === ANN.id,
    );
    expect(await desk.max(`/ban ${ANN.id}`)).toContain(t("correction-untold"));
    expect(banOf(ANN.id)).toBeDefined();
  });

  test("take the person from a forwarded message that the command replies to", async () => {
    const replyTo = (forward_origin: object) =>
      ({ reply_to_message: { ...desk.message({ text: "hi" }, MAX), forward_origin } }) as never;
    await desk.max("/ban rude words", replyTo({ type: "user", date: 1, sender_user: BORIS }));
    expect(banOf(BORIS.id)).toMatchObject({ reason: "rude words" });
    const hidden = { type: "hidden_user", date: 1, sender_user_name: "Boris" };
    expect(await desk.max("/unban", replyTo(hidden))).toContain(t("person-hidden"));
  });

  test.each([
    ["/ban", "Usage"],
    ["/ban nobody", "neither an id"],
    ["/ban 4242", "never met"],
    [`/ban ${ANN.id} 2020-01-01`, "2020-01-01"],
    [`/ban ${VERA.id}`, "admin"],
    [`/unban ${ANN.id}`, "isn’t banned"],
  ])("%j changes nothing and says why", async (command, words) => {
    await desk.say("/start", VERA);
    expect(await desk.max(command)).toContain(words);
    expect(desk.acts()).toEqual([]);
  });

  test("of two admins at once is one act", async () => {
    await Promise.all([desk.say(`/ban ${ANN.id} spam`, MAX), desk.say(`/ban ${ANN.id} spam`, VERA)]);
    expect(desk.acts().map(({ act }) => act)).toEqual(["ban"]);
    await Promise.all([desk.say(`/unban ${ANN.id}`, MAX), desk.say(`/unban ${ANN.id}`, VERA)]);
    expect(desk.acts().map(({ act }) => act)).toEqual(["unban", "ban"]);
  });
});

const NOW = Date.UTC(2026, 10, 24, 12);
const DAY = 24 * 3600 * 1000;
const read = (words: string, sentAt = NOW) => readBanTerms(words, { sentAt, now: NOW });

describe("the words after /ban", () => {
  test.each([
    ["", { reason: null, until: null }],
    ["spam", { reason: "spam", until: null }],
    ["too  much\nspam 7d", { reason: "too much spam", until: NOW + 7 * DAY }],
    ["12H", { reason: null, until: NOW + DAY / 2 }],
    ["спам 12ч", { reason: "спам", until: NOW + DAY / 2 }],
    ["2н", { reason: null, until: NOW + 14 * DAY }],
    ["spam 2026-12-31", { reason: "spam", until: Date.UTC(2026, 11, 31) }],
    ["was rude in 2025", { reason: "was rude in 2025", until: null }],
  ])("%j are a reason and a time", (words, terms) => {
    expect(read(words)).toEqual(terms);
  });

  test.each(["2026-11-24", "2026-13-01", "0d"])("with %j, which is no time to come, are refused", (word) => {
    expect(read(`spam ${word}`)).toEqual({ wrongUntil: word });
  });

  test("give a duration from when it was sent, so a command that is handled again means the same", () => {
    expect(read("7d", NOW - 60_000)).toEqual({ reason: null, until: NOW - 60_000 + 7 * DAY });
  });
});
