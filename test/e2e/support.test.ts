import { createSandbox } from "@atelier/telegram-sandbox";
import { expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { ADMIN, ANN, BORIS, startTestService, TOKEN } from "../support/service.js";

test("what a person writes to support and what an admin answers meet in the person's topic", async () => {
  const people = [ANN, BORIS, ADMIN];
  const group = { title: "Desk", is_forum: true, bot_is_admin: true };
  const sandbox = await createSandbox({ token: TOKEN, people, group });
  const environment = { EVENTS_CHAT_ID: String(sandbox.groupId) };
  const service = await startTestService({ sandbox, environment });
  const ann = new Chatter(sandbox.person(ANN.id));
  const desk = new Chatter(sandbox.person(ADMIN.id), sandbox.groupId);
  ann.say("/support");
  await ann.see("What’s wrong?");
  ann.say("my picture is blue");
  await ann.see("I’ve passed your message on");
  const { message_thread_id: thread = 0, message_id } = await desk.see("my picture is blue");
  expect(thread).toBeGreaterThan(0);

  desk.say("Blue is the *light*. Your money is back.", { thread });
  const answer = await ann.see("Answer from support");
  expect(answer.text).toContain("Your money is back.");
  await desk.see("It has arrived");

  sandbox.closeTopic(ADMIN.id, thread);
  ann.say("thank you, it works", { replyTo: answer.message_id });
  const second = await desk.see("thank you", message_id);
  expect(second.message_thread_id).toBe(thread);
  ann.person.blockBot();
  desk.say("You’re welcome", { thread });
  await desk.see("blocked the bot");
  await service.close();
});
