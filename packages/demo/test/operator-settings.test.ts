import { spawnSync } from "node:child_process";
import { join } from "node:path";
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

test("a folder that cannot keep the demo is one line", () => {
  const options = ["scripts/run.mjs", "packages/demo/dist/main", "--keep", "package.json"];
  const cwd = join(import.meta.dirname, "../../..");
  const { status, stderr } = spawnSync(process.execPath, options, { cwd, encoding: "utf8" });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^Error: .*package\.json.*\n$/),
  });
}, 60_000);
