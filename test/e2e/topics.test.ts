import { createSandbox } from "@atelier/telegram-sandbox";
import { expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { claimOrder } from "../support/direct-order.js";
import { toBot } from "../support/group.js";
import { ADMIN, ANN, BORIS, startTestService, TOKEN } from "../support/service.js";

async function startForum(welcome = "100") {
  const people = [ANN, BORIS, ADMIN];
  const sandbox = await createSandbox({ token: TOKEN, people, group: { title: "Studio", is_forum: true } });
  const service = await startTestService({ sandbox, environment: { WELCOME_CREDIT_RUB: welcome } });
  const ann = new Chatter(sandbox.person(ANN.id), sandbox.groupId);
  return { sandbox, service, ann, thread: sandbox.openTopic(ANN.id, "Art") };
}

test("an order made in a topic is composed, asked about and delivered in that topic", async () => {
  const { sandbox, service, ann, thread } = await startForum();
  ann.say(toBot(service, "/image"), { thread });
  const question = await ann.see("Reply to this message");
  ann.say("a quiet harbour", { replyTo: question.message_id });
  await ann.press("✅", "a quiet harbour");
  const photo = await ann.seePhoto();
  const threads = ann.heard().map(({ message_thread_id }) => message_thread_id);
  expect(new Set(threads)).toEqual(new Set([thread]));
  expect(photo.caption).not.toContain("left");
  expect(service.balanceOf(ANN.id)).toBe(90);

  const vera = new Chatter(sandbox.person(ADMIN.id), sandbox.groupId);
  vera.say(toBot(service, "/credit 50"), { thread });
  await vera.see("Usage: /credit");
  expect(service.balanceOf(ANN.id)).toBe(90);
});

test("when the topic is gone, an order reports its outcome after a restart in the group itself", async () => {
  const { sandbox, service, ann, thread } = await startForum("3.30");
  new Chatter(sandbox.person(ANN.id)).say("/start");
  await new Chatter(sandbox.person(ANN.id)).see("3.30\u00a0₽");
  await service.stopService();
  const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
  await claimOrder(service.database, { userId: ANN.id, chatId: sandbox.groupId, threadId: thread, request });
  sandbox.faults.add({
    method: "sendMessage",
    times: Number.POSITIVE_INFINITY,
    matches: ({ params }) => params.message_thread_id !== undefined,
    answer: { type: "status", code: 400, description: "Bad Request: message thread not found" },
  });
  await service.restart();
  await ann.see("isn’t certain whether");
});
