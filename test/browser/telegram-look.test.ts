import type { Sandbox } from "@atelier/telegram-sandbox";
import type { TelegramMessage } from "@gramio/types";
import type { Locator } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { bigPng } from "../support/big-png.js";
import { openBrowser } from "./browser.js";
import { SandboxPage } from "./sandbox-page.js";
import { ANNA, numberOf } from "./visit.js";

const PHONE = { width: 390, height: 844 };

const browser = openBrowser();

/** Posts pictures of the bot, as one album where there are several. */
async function post(
  sandbox: Sandbox,
  chat: number,
  pictures: readonly { width: number; height: number; caption?: string }[],
): Promise<TelegramMessage[]> {
  const form = new FormData();
  form.set("chat_id", String(chat));
  const media = pictures.map(({ caption }, index) => ({
    type: "photo",
    media: `attach://p${index}`,
    ...(caption === undefined ? {} : { caption }),
  }));
  for (const [index, sides] of pictures.entries())
    form.set(`p${index}`, new Blob([new Uint8Array(bigPng(sides))]), "p.png");
  form.set("media", JSON.stringify(media));
  const url = `${sandbox.url}/bot${sandbox.token}/sendMediaGroup`;
  const answer = (await (await fetch(url, { method: "POST", body: form })).json()) as {
    result: TelegramMessage[];
  };
  return answer.result;
}

const box = async (locator: Locator) => (await locator.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };

describe("an album", () => {
  let view: SandboxPage;
  beforeEach(async () => {
    view = await SandboxPage.open(browser(), PHONE);
    await view.start(ANNA);
  });

  test("of which several pictures have a caption shows none below it, and of one shows it", async () => {
    const square = { width: 200, height: 200 };
    await post(view.sandbox, ANNA, [
      { ...square, caption: "a fox" },
      { ...square, caption: "a city" },
    ]);
    await post(view.sandbox, ANNA, [square, { ...square, caption: "the only one" }]);
    const albums = view.chat(ANNA).locator(".row", { has: view.page.getByTestId("album") });
    await albums.nth(1).getByText("the only one").waitFor();
    expect(await albums.first().locator(".text").isVisible()).toBe(false);
    expect(await albums.first().locator("time").isVisible()).toBe(true);
  });

  test("is replied to by each of its pictures, and the quote shows that picture", async () => {
    const messages = await post(view.sandbox, ANNA, Array(3).fill({ width: 320, height: 180 }));
    await view.chat(ANNA).locator(".tile").nth(2).click({ button: "right" });
    await view.page.getByRole("menuitem", { name: "Reply" }).click();
    expect(await view.pane(ANNA).getByTestId("reply-bar").locator("img").isVisible()).toBe(true);
    await view.say(ANNA, "make this one blue");
    const quote = view.chat(ANNA).locator(".quote img");
    await expect
      .poll(async () => (await quote.count()) && numberOf(quote, "naturalWidth"))
      .toBeGreaterThan(0);
    const reply = view.sandbox.messages(ANNA).at(-1)?.reply_to_message;
    expect(reply?.message_id).toBe(messages[2]?.message_id);
  });
});

describe("a chat", () => {
  test("cuts a label that has no room and keeps it on one line", async () => {
    const view = await SandboxPage.open(browser(), { width: 320, height: 640 });
    await view.start(ANNA);
    const labels = ["✍️ A very long description", "🎨 Model and settings", "✖️ Cancel everything"];
    const inline_keyboard = [labels.map((text) => ({ text, callback_data: text }))];
    view.sandbox.post(ANNA, { from: view.sandbox.bot, text: "card", reply_markup: { inline_keyboard } });
    const label = view.chat(ANNA).locator(".button-label");
    await label.nth(2).waitFor();
    for (const one of await label.all()) {
      expect((await box(one)).height).toBeLessThan(24);
      expect(await numberOf(one, "scrollWidth")).toBeGreaterThan(await numberOf(one, "clientWidth"));
    }
  });

  test("shows an alert in the window of the tap only, and not for ever", async () => {
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
});
