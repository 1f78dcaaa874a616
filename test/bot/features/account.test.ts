import { beforeEach, describe, expect, test } from "vitest";
import { agree } from "../../../src/accounts/consent-log.js";
import { addDebt } from "../../../src/accounts/ledger-store.js";
import { asKopecks } from "../../../src/contract/price.js";
import { ANN, BORIS, MAX, PHOTO } from "../../support/bot-harness.js";
import { order } from "../../support/core.js";
import { type Desk, openDesk, VERA } from "../../support/desk-world.js";
import { money, t } from "../../support/drafts.js";

let desk: Desk;
beforeEach(async () => {
  desk = openDesk();
  await desk.say("/start");
  await desk.say("/start", BORIS);
});

/** Shows all that there is of Ann's account, by the button of its short form. */
async function wholeAccount(): Promise<string> {
  await desk.max(`/account ${ANN.id}`);
  await desk.press(t("button-account-whole"));
  return String(desk.telegram.payloadsOf("editMessageText").at(-1)?.text);
}
const balance = () => desk.core.core.accounts.users.balanceOf(ANN.id);

describe("/account", () => {
  test("shows whole, in one message: entries with their orders and who changed the balance, keys, ban, consents", async () => {
    const ann = await desk.core.person(ANN.id, 100_00);
    const made = await desk.finishedOrder("one", ANN.id);
    await order(ann, "one");
    await desk.core.core.accounts.keys.create({ id: ANN.id, name: "Ann" }, "laptop");
    await agree(desk.core, 1, [{ document: "terms", version: "v1" }]);
    await desk.max(`/ban ${ANN.id} rude`);
    await desk.max(`/credit ${ANN.id} 5 for patience`);
    const before = desk.telegram.callsOf("sendMessage").length;
    const shown = await wholeAccount();
    expect(desk.telegram.callsOf("sendMessage")).toHaveLength(before + 1);
    for (const words of [
      `id <code>${ANN.id}</code>`,
      t("account-balance", { balance: money(95_00) }),
      `/order_${made.number} · Nano`,
      "+100\u00a0₽ · added · test",
      "+5\u00a0₽ · added · Max · for patience",
      "atl_",
      "rude",
      t("account-consents"),
      " · /terms",
    ])
      expect(shown).toContain(words);
    expect(shown).toMatch(
      /<tg-time unix="\d+" format="dt">Jan 1, 2026, 12:00.AM UTC<\/tg-time> · −10\u00a0₽ · paid/,
    );
    expect(shown).not.toContain("telegram:");
  });

  test("names a debt, as /balance does to both", async () => {
    const debt = t("balance-debt", { debt: money(25_00) });
    expect(await desk.max(`/account ${ANN.id}`)).not.toContain(debt);
    const accountId = desk.core.core.accounts.users.find(ANN.id) ?? 0;
    await desk.database.write("debt", (tx) => addDebt(tx, accountId, asKopecks(25_00)));
    expect(await desk.max(`/account ${ANN.id}`)).toContain(debt);
    expect(await desk.max(`/balance ${ANN.id}`)).toContain(debt);
    await desk.say("/balance");
    expect(desk.said().at(-1)).toContain(debt);
  });

  test("is short at first: the balance and the last three orders, the changes and keys behind a button", async () => {
    const ann = await desk.core.person(ANN.id, 100_00);
    for (const id of ["one", "two", "three", "four"]) {
      await desk.finishedOrder(id, ANN.id);
      await order(ann, id);
    }
    const shown = await desk.max(`/account ${ANN.id}`);
    expect(shown).toContain(t("account-balance", { balance: money(60_00) }));
    // It is kept to the hour.
    expect(shown).toContain(t("account-seen", { seen: t("account-seen-hour") }));
    expect(shown.match(/\/order_\d+/g)).toHaveLength(3);
    expect(shown).not.toContain(t("account-entries"));
    expect((await wholeAccount()).match(/\/order_\d+/g)?.length).toBeGreaterThan(4);
    expect(desk.buttons().has(t("button-account-whole"))).toBe(false);
  });

  test("asks for the person, and takes a name, words, a forwarded message or a choice from Telegram's list", async () => {
    desk.telegram.answer("getChat", { id: BORIS.id, type: "private", username: "boris" });
    expect(await desk.max("/account boris")).toContain("Boris");
    const chosen = (user_id: number) => ({ users_shared: { request_id: 1, users: [{ user_id }] } });
    const forwarded = { forward_origin: { type: "user", date: 1, sender_user: BORIS } };
    for (const answer of [{ text: `${BORIS.id}` }, { text: "hi", ...forwarded }, chosen(BORIS.id)]) {
      expect(await desk.max("/account")).toBe(t("account-ask-person"));
      const asked = desk.telegram.payloadsOf("sendMessage").at(-1);
      expect(JSON.stringify(asked)).toContain('"request_users":{"request_id":1,"max_quantity":1');
      await desk.send(answer as never, MAX);
      expect(desk.said().at(-1)).toContain("Boris");
      const [named] = desk.telegram.payloadsOf("sendMessage").slice(-2);
      expect(named?.reply_markup).toEqual({ remove_keyboard: true });
    }
    await desk.send(chosen(4242) as never, MAX);
    expect(desk.said().at(-1)).toBe(t("person-stranger"));
  });
});

describe("the buttons of an account", () => {
  beforeEach(async () => {
    await desk.core.person(ANN.id, 100_00);
    await desk.max(`/account ${ANN.id}`);
  });

  test("credit and debit typed sums, with a reason that the person reads", async () => {
    await desk.press(t("button-credit"));
    await desk.say("50,5 for an idea", MAX);
    expect(await balance()).toBe(100_00);
    expect(desk.said().at(-1)).toContain("Ann");
    const sure = desk.button(t("button-correct-credit", { sum: money(50_50) }));
    await Promise.all([desk.tap(sure, 50, MAX), desk.tap(sure, 50, MAX)]);
    expect(await balance()).toBe(150_50);
    expect(desk.toldTo(ANN.id).at(-1)).toContain("for an idea");
    await desk.max(`/account ${ANN.id}`);
    await desk.press(t("button-debit"));
    await desk.say("a lot", MAX);
    await desk.say("0,50", MAX);
    await desk.press(t("button-correct-debit", { sum: money(50) }));
    expect(await balance()).toBe(150_00);
    expect(desk.acts().map(({ act }) => act)).toEqual(["debit", "credit", "credit"]);
  });

  test("take no sum that was forwarded, and none after another command", async () => {
    await desk.press(t("button-credit"));
    await desk.say("50", MAX, { forward_origin: { type: "hidden_user", date: 1, sender_user_name: "Max" } });
    expect(desk.said().at(-1)).toBe(t("admin-own-words"));
    await desk.say("/balance", MAX);
    await desk.say("50", MAX);
    expect(await balance()).toBe(100_00);
  });

  test("credit once what arrives twice", async () => {
    await desk.press(t("button-credit"));
    await desk.say("50", MAX, { message_id: 5000 });
    await desk.press(t("button-correct-credit", { sum: money(50_00) }));
    await desk.max(`/account ${ANN.id}`);
    await desk.press(t("button-credit"));
    await desk.say("50", MAX, { message_id: 5000 });
    expect(await balance()).toBe(150_00);
  });

  test("send a message of the admin as the bot, recorded without its words", async () => {
    await desk.press(t("button-message"));
    await desk.say("Your <picture> is ready", MAX);
    expect(desk.toldTo(ANN.id).at(-1)).toBe(t("told-message", { text: "Your &lt;picture&gt; is ready" }));
    expect(desk.said().at(-1)).toBe(t("account-message-sent"));
    const [act] = desk.acts();
    expect(act).toMatchObject({ act: "message", accountId: 1 });
    expect(JSON.stringify(act)).not.toContain("picture");
  });

  test("wait for words where pictures come, which begin no card", async () => {
    await desk.press(t("button-message"));
    for (let piece = 0; piece < 6; piece += 1)
      await desk.send({ photo: PHOTO, media_group_id: "album" }, MAX);
    expect(desk.said().at(-1)).toBe(t("prompt-no-text"));
    await desk.say("here it is", MAX);
    expect(desk.toldTo(ANN.id).at(-1)).toBe(t("told-message", { text: "here it is" }));
  });

  test("keep notes that only admins see", async () => {
    await desk.press(t("button-note"));
    await desk.say("paid in cash", MAX);
    expect(await desk.max(`/account ${ANN.id}`)).toContain("paid in cash");
    expect(desk.toldTo(ANN.id).join()).not.toContain("cash");
  });

  test("ban with a typed reason and lift the ban; a stale button of it changes nothing", async () => {
    await desk.press(t("button-ban"));
    await desk.say("spam 7d", MAX);
    expect(desk.core.core.accounts.users.banOf(ANN.id)).toMatchObject({ reason: "spam" });
    await desk.max(`/account ${ANN.id}`);
    const lift = desk.button(t("button-unban"));
    await Promise.all([desk.tap(lift, 1, MAX), desk.tap(lift, 2, VERA)]);
    await desk.tap(lift, 3, MAX);
    expect(desk.core.core.accounts.users.banOf(ANN.id)).toBeUndefined();
    expect(desk.acts().filter(({ act }) => act === "unban")).toHaveLength(1);
  });
});
