import { expect, onTestFinished, test, vi } from "vitest";
import { startDemo } from "../../../test/support/demo.js";
import { eventually } from "../../../test/support/eventually.js";

const ANNA = 1001;

test("settings of a bot at Telegram leave the demo's bot on this machine, for its own people", async () => {
  vi.stubEnv("ALLOWED_USERS", "77");
  vi.stubEnv("BOT_TOKEN_FILE", "/nowhere/bot.token");

  vi.stubEnv("TELEGRAM_PROXY", "http://127.0.0.1:9");
  const demo = await startDemo();
  onTestFinished(() => demo.stop());
  await fetch(`${demo.address}/chat/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ person: ANNA, chat: ANNA, text: "/start" }),
  });
  const greeting = await eventually("the bot answers", async () => {
    const calls = await (await fetch(`${demo.address}/control/calls`)).json();
    return (calls as { method: string }[]).find(({ method }) => method === "sendMessage");
  });
  expect(greeting).toMatchObject({ params: { reply_markup: expect.anything() } });
}, 60_000);
