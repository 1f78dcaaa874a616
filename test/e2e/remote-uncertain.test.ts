import { expect, test } from "vitest";
import { Chatter, labelsOf } from "../support/chatter.js";
import { texts } from "../support/drafts.js";
import { openFaultyBot } from "../support/faulty-bot.js";
import { reset } from "../support/faulty-service.js";
import { ADMIN, ANN } from "../support/service.js";

/** A person and an admin, and a service that loses the answers of POSTs. */
async function open() {
  const { t, money } = texts.in("en");
  const opened = await openFaultyBot({ environment: { ADMIN_IDS: String(ADMIN.id) } });
  const { front, world, service } = opened;
  const person = new Chatter(front.sandbox.person(ANN.id));
  const vera = new Chatter(front.sandbox.person(ADMIN.id));
  // The bot may write to those only who have written first.
  vera.say("/orders");
  await vera.see(t("orders-none"));

  /** Pays a card whose POST gets no answer. */
  async function lose(isAccepted: boolean): Promise<string> {
    world.post = (_response, request, body) => {
      if (isAccepted) service.accept(request, body);
      reset(request);
    };
    const { message_id } = person.say("/image a red fox");
    await person.press(/^✅/);
    const what = t("uncertain-what", { model: "Fox Nine", price: money(1000) });
    const { text = "" } = await person.see(what, message_id);
    return text;
  }
  return { ...opened, t, money, person, vera, lose };
}

test("an order without an answer is settled by an admin: charged", async () => {
  const { t, money, person, vera, lose, service } = await open();
  const read = await lose(true);
  for (const words of [
    t("uncertain-next"),
    t("uncertain-balance-same", { after: money(1250) }),
    t("uncertain-again"),
  ])
    expect(read).toContain(words);
  await vera.seeButton(t("button-order-charged"), t("order-open", { count: 1 }));
  vera.say("/orders");
  await vera.press(/^1 · /);
  await vera.press(t("button-order-charged"));
  await vera.see(t("order-ask-job", { number: "1", count: 1, type: "image" }));
  vera.say("№1000");
  await vera.see(t("job-fault-id", { word: "№1000" }));
  vera.say("1000");
  await vera.see(t("order-was-charged", { ids: "1000" }));
  await person.see(t("uncertain-charged", { model: "Fox Nine", price: money(1000) }));
  await person.seePhoto();
  expect(service.posts).toHaveLength(1);
});

test("or: not charged, and its card can be paid again", async () => {
  const { t, money, person, vera, lose, service } = await open();
  await lose(false);
  await vera.seeButton(t("button-order-not-charged"));
  const { message_id } = vera.say("/order 1");
  await vera.see((message) => message.message_id > message_id && labelsOf(message).length === 3);
  await vera.press(t("button-order-not-charged"));
  await vera.press(t("button-order-surely"));
  await vera.see(t("order-was-not-charged"));
  await person.see(t("uncertain-not_charged", { model: "Fox Nine", price: money(1000) }));
  await person.press(/^✅/);
  await person.seePhoto();
  expect([service.posts.length, service.jobs.size]).toEqual([2, 1]);
  vera.say("/orders");
  await vera.see(t("orders-none"));
});
