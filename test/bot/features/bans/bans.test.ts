import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ANN } from "../../../support/bot-harness.js";
import { refusal } from "../../../support/bot-world.js";
import { IMAGE, order } from "../../../support/core.js";
import { BORIS, type Desk, MAX, openDesk, VERA } from "../../../support/desk-world.js";
import { texts } from "../../../support/drafts.js";

const { t } = texts.in("en");

let desk: Desk;
beforeEach(async () => {
  desk = openDesk();
  await desk.say("/start");
  await desk.say("/start", BORIS);
});
afterEach(() => desk.close());

const bans = () => desk.core.core.accounts.bans;

describe("/ban and /unban", () => {
  test("stop a person's orders and allow them again, with both told and a row for each act", async () => {
    expect(await desk.max(`/ban ${ANN.id} spam 7d`)).toContain("Ann");
    expect(bans().of(ANN.id)).toMatchObject({ reason: "spam", until: (desk.now() + 7 * 86_400) * 1000 });
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
    const payButton = () => [...desk.buttons()].find(([label]) => label.startsWith("✅"))?.[1];
    const pay = payButton() ?? "";
    await desk.max(`/ban ${ANN.id}`);
    await desk.say("/balance");
    expect(desk.said().at(-1)).toContain("100");
    await desk.tap(pay, desk.drafts.composing(ANN.id, ANN.id)?.messageId ?? 0);
    expect(desk.answered().at(-1)).toBe(t("refused-account_banned"));
    expect(desk.drafts.composing(ANN.id, ANN.id)).toBeDefined();
    await desk.say("a cat");
    expect(desk.said().at(-1)).toContain(t("refused-account_banned"));
    expect(payButton()).toBeUndefined();
  });

  test("deliver and refund what was ordered before", async () => {
    const ann = await desk.core.person(ANN.id, 100_00);
    const accepted = await order(ann, "one", IMAGE);
    await desk.max(`/ban ${ANN.id}`);
    expect(await order(ann, "one", IMAGE)).toEqual(accepted);
    expect(await ann.refundLost("one", accepted.job_ids)).toBe(0);
  });

  test("say so where the person cannot be told", async () => {
    desk.telegram.refuse(
      "sendMessage",
      refusal(403, "Forbidden: bot was blocked by the user"),
      (payload) => payload.chat_id === ANN.id,
    );
    expect(await desk.max(`/ban ${ANN.id}`)).toContain(t("correction-untold"));
    expect(bans().of(ANN.id)).toBeDefined();
  });

  test("take the person from a forwarded message that the command replies to", async () => {
    const forwarded = {
      message_id: 5,
      date: 1,
      chat: { id: MAX.id, type: "private" as const, first_name: "Max" },
      text: "hi",
    };
    const origin = { type: "user" as const, date: 1, sender_user: BORIS };
    const reply_to_message = { ...forwarded, forward_origin: origin } as never;
    await desk.max("/ban rude words", { reply_to_message });
    expect(bans().of(BORIS.id)).toMatchObject({ reason: "rude words" });
    const hidden = { type: "hidden_user" as const, date: 1, sender_user_name: "Boris" };
    const answer = await desk.max("/unban", {
      reply_to_message: { ...forwarded, forward_origin: hidden } as never,
    });
    expect(answer).toContain(t("person-hidden"));
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
