import { expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { texts } from "../support/drafts.js";
import { openFaultyBot } from "../support/faulty-bot.js";
import { reset } from "../support/faulty-service.js";
import { ADMIN, ANN } from "../support/service.js";

test("an order without an answer is settled by an admin as charged", async () => {
  const { t, money } = texts.in("en");
  const { front, world, service } = await openFaultyBot({ environment: { ADMIN_IDS: String(ADMIN.id) } });
  const person = new Chatter(front.sandbox.person(ANN.id));
  const vera = new Chatter(front.sandbox.person(ADMIN.id));
  // The bot may write to those only who have written first.
  vera.say("/orders");
  await vera.see(t("orders-none"));

  world.post = (_response, request, body) => {
    service.accept(request, body);
    reset(request);
  };
  const { message_id } = person.say("/image a red fox");
  await person.press(/^✅/);
  const what = t("uncertain-what", { model: "Fox Nine", price: money(1000) });
  const { text } = await person.see(what, message_id);
  for (const words of [
    t("uncertain-next"),
    t("uncertain-balance-same", { after: money(1250) }),
    t("uncertain-again"),
  ])
    expect(text).toContain(words);
  await vera.seeButton(t("button-order-charged"), t("order-open", { count: 1 }));
  vera.say("/orders");
  await vera.press(/^1 · /);
  await vera.press(t("button-order-charged"));
  await vera.see(t("order-ask-job", { number: "1", count: 1, type: "image" }));
  vera.say("1000");
  await vera.see(t("order-was-charged", { ids: "1000" }));
  await person.see(t("uncertain-charged", { model: "Fox Nine", price: money(1000) }));
  await person.seePhoto();
  expect(service.posts).toHaveLength(1);
});
