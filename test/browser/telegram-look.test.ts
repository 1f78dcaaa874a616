import type { Sandbox } from "@atelier/telegram-sandbox";
import type { TelegramMessage } from "@gramio/types";
import { expect, test } from "vitest";
import { bigPng } from "../support/big-png.js";
import { openBrowser } from "./browser.js";
import { SandboxPage } from "./sandbox-page.js";
import { ANNA, numberOf } from "./visit.js";

const PHONE = { width: 390, height: 844 };

const browser = openBrowser();

/** Posts three pictures of the bot as one album. */
async function postAlbum(sandbox: Sandbox, chat: number): Promise<TelegramMessage[]> {
  const form = new FormData();
  form.set("chat_id", String(chat));
  const names = ["p0", "p1", "p2"];
  for (const name of names)
    form.set(name, new Blob([new Uint8Array(bigPng({ width: 320, height: 180 }))]), "p.png");
  form.set("media", JSON.stringify(names.map((name) => ({ type: "photo", media: `attach://${name}` }))));
  const url = `${sandbox.url}/bot${sandbox.token}/sendMediaGroup`;
  const answer = (await (await fetch(url, { method: "POST", body: form })).json()) as {
    result: TelegramMessage[];
  };
  return answer.result;
}

test("an album is replied to by each of its pictures, and the quote shows that picture", async () => {
  const view = await SandboxPage.open(browser(), PHONE);
  await view.start(ANNA);
  const messages = await postAlbum(view.sandbox, ANNA);
  await view.chat(ANNA).locator(".tile").nth(2).click({ button: "right" });
  await view.page.getByRole("menuitem", { name: "Reply" }).click();
  expect(await view.pane(ANNA).getByTestId("reply-bar").locator("img").isVisible()).toBe(true);
  await view.say(ANNA, "make this one blue");
  const quote = view.chat(ANNA).locator(".quote img");
  await expect.poll(async () => (await quote.count()) && numberOf(quote, "naturalWidth")).toBeGreaterThan(0);
  const reply = view.sandbox.messages(ANNA).at(-1)?.reply_to_message;
  expect(reply?.message_id).toBe(messages[2]?.message_id);
});

test("a chat shows an alert in the window of the tap only, and not for ever", async () => {
  const view = await SandboxPage.open(browser(), PHONE);
  await view.start(ANNA);
  const inline_keyboard = [[{ text: "Pay", callback_data: "pay" }]];
  view.sandbox.post(ANNA, { from: view.sandbox.bot, text: "card", reply_markup: { inline_keyboard } });
  const other = await view.context.newPage();
  await other.goto(`${view.sandbox.url}/#person=${ANNA}`);
  await other.getByText("Pay").waitFor();
  await view.page.clock.install();
  await view.chat(ANNA).getByText("Pay").click();
  const answered = other.locator(".key.is-waiting");
  const url = `${view.sandbox.url}/bot${view.sandbox.token}`;
  const updates = (await (await fetch(`${url}/getUpdates?timeout=5`)).json()) as {
    result: { callback_query?: { id: string } }[];
  };
  const id = updates.result.find(({ callback_query: query }) => query)?.callback_query?.id;
  await fetch(`${url}/answerCallbackQuery?callback_query_id=${id}&text=too+poor&show_alert=true`);
  view.sandbox.post(ANNA, { from: view.sandbox.bot, text: "after the answer" });
  await view.page.getByTestId("alert").getByText("too poor").waitFor();
  await other.getByText("after the answer").waitFor();
  expect(await other.getByTestId("alert").count()).toBe(0);
  expect(await answered.count()).toBe(0);
  await view.page.clock.fastForward(31_000);
  await view.page.getByTestId("alert").waitFor({ state: "detached" });
});
