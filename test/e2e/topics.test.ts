import { createSandbox } from "@atelier/telegram-sandbox";
import { expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { toBot } from "../support/group.js";
import { ADMIN, ANN, BORIS, startTestService, TOKEN } from "../support/service.js";

test("an order made in a topic is composed, asked about and delivered in that topic", async () => {
  const people = [ANN, BORIS, ADMIN];
  const sandbox = await createSandbox({ token: TOKEN, people, group: { title: "Studio", is_forum: true } });
  const service = await startTestService({ sandbox });
  const ann = new Chatter(sandbox.person(ANN.id), sandbox.groupId);
  const thread = sandbox.openTopic(ANN.id, "Art");
  ann.say(toBot(service, "/image"), { thread });
  const question = await ann.see("Reply to this message");
  ann.say("a quiet harbour", { replyTo: question.message_id });
  await ann.press("✅", "a quiet harbour");
  const photo = await ann.seePhoto();
  const threads = ann.heard().map(({ message_thread_id }) => message_thread_id);
  expect(new Set(threads)).toEqual(new Set([thread]));
  expect(photo.caption).not.toContain("left");
  expect(service.balanceOf(ANN.id)).toBe(90);
});
