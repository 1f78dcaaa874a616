import { expect, test } from "vitest";
import { ANN, GROUP, openBotHarness } from "../../support/bot-harness.js";
import { t } from "../../support/drafts.js";

test("/id tells the own id, and in a group the chat's and the topic's", async () => {
  const { say, said } = openBotHarness();
  await say("/id");
  expect(said()).toEqual([t("id-person", { id: String(ANN.id) })]);
  const chat = { ...GROUP, is_forum: true } as const;
  await say("/id", ANN, { chat, is_topic_message: true, message_thread_id: 7 });
  expect(String(said()[1]).split("\n")).toEqual([
    t("id-person", { id: String(ANN.id) }),
    t("id-chat", { id: String(GROUP.id) }),
    t("id-topic", { id: "7" }),
  ]);
});

test("/id answers people whom the list does not let in, without an account; of all else they hear once", async () => {
  const { say, said, lookUps } = openBotHarness({ allowedUsers: [ANN.id + 1] });
  await say("/id");
  for (const words of ["/balance", "/help"]) await say(words);
  expect(said()).toEqual([t("id-person", { id: String(ANN.id) }), t("not-allowed")]);
  expect(lookUps.of).toBe(0);
});
