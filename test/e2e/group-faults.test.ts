import { beforeEach, expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { ANN, startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});

test("a result that its group rejects waits for the payer's next private message, not for one in the group", async () => {
  const { sandbox, provider } = service;
  const inGroup = new Chatter(sandbox.person(ANN.id), sandbox.groupId);
  provider.holds = true;
  const { username } = sandbox.bot;
  inGroup.say(`/image@${username} a quiet harbour`);
  await inGroup.press("✅", "a quiet harbour");
  await eventually("a task", () => provider.held.length > 0);
  const status = { type: "status", code: 400 } as const;
  for (const method of ["sendPhoto", "sendDocument"]) {
    const description = "Bad Request: not enough rights to send photos to the chat";
    sandbox.faults.add({ method, chat: sandbox.groupId, answer: { ...status, description } });
  }
  const description = "Bad Request: chat not found";
  const unknown = sandbox.faults.add({
    method: "sendPhoto",
    chat: ANN.id,
    answer: { ...status, description },
  });
  provider.held[0]?.finish();
  await inGroup.see("Send me /start in a private chat");
  expect(unknown.struck).toBe(1);
  inGroup.say(`/help@${username}`);
  await inGroup.see("How it works");
  const toAnn = sandbox.calls.filter(
    ({ method, params }) => method === "sendPhoto" && params.chat_id === ANN.id,
  );
  expect(toAnn).toHaveLength(1);
  const alone = new Chatter(sandbox.person(ANN.id));
  alone.say("/start");
  await alone.seePhoto();
});
