import { expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { markedWebp } from "../support/picture.js";
import { ANN, startTestService, TOKEN } from "../support/service.js";

test("several pictures that are paid while the card is sent again leave the status message and no other card", async () => {
  const service = await startTestService({ environment: { WELCOME_CREDIT_RUB: "1000" } });
  const one = new Chatter(service.sandbox.person(ANN.id));
  one.person.sendAlbum([markedWebp("mark-a"), markedWebp("mark-b")], { caption: "both at a table" });
  const card = await one.seeButton("✅");
  const held = service.sandbox.hold("sendMessage");
  await held.arrived();
  service.provider.holds = true;
  await (await one.press("✅")).answered();
  await one.see(({ edit_date }) => edit_date !== undefined);
  await (await one.press("✅")).answered();
  await eventually("the task", () => service.provider.held.length === 1);
  held.release();
  const { params } = await service.sandbox.waitForCall("deleteMessage");
  expect(params.message_id).not.toBe(card.message_id);
  expect(one.heard().map(({ message_id }) => message_id)).toEqual([card.message_id]);
  service.provider.holds = false;
  for (const waiting of service.provider.held) waiting.finish();
  await one.see(({ photo }) => photo !== undefined);
  const told = JSON.stringify(service.lines) + JSON.stringify(service.provider.tasks);
  // A link to Telegram's file server holds the token: neither the log nor a provider may see one.
  expect(told).not.toContain(TOKEN);
  expect(told).not.toContain("/file/bot");
});
