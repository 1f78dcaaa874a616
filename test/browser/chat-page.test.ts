import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { openBrowser } from "./browser.js";
import { SandboxPage } from "./sandbox-page.js";
import { ANNA, BORIS, numberOf } from "./visit.js";

const PHONE = { width: 390, height: 844 };
const GROUP = { title: "Studio", topics: ["Ideas", "Results"] };
const LONG_WORD = `https://example.com/${"a".repeat(200)}`;

const browser = openBrowser();

/** How far something can be scrolled sideways, in px. */
async function sidewaysPx(locator: Locator): Promise<number> {
  return (await numberOf(locator, "scrollWidth")) - (await numberOf(locator, "clientWidth"));
}

/** How far below the view the end of what scrolls is, in px. */
function endBelowPx(scroller: Locator): Promise<number> {
  return scroller.evaluate(
    ({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight,
  );
}

/** Grows the messages in the moment of a scroll, as a browser may: both come before any observer of sizes. */
function growWhileScrolling(scroller: Locator): Promise<void> {
  return scroller.evaluate((element) => {
    element.querySelector(".timeline-content")?.setAttribute("style", "padding-bottom: 1200px");
    element.scrollBy(0, -1);
  });
}

/** Fills a chat with everything that is wide: words, buttons, quotes, code. */
function fill(sandbox: SandboxPage["sandbox"], chat: number): void {
  const reply_to_message = sandbox.person(ANNA).sendText(LONG_WORD, { chat });
  sandbox.person(BORIS).sendText(`${LONG_WORD} and more`, { chat, replyTo: reply_to_message.message_id });
  const keyboard = [["Format: 16:9", LONG_WORD, "Three"].map((text) => ({ text, callback_data: text }))];
  const entities = [{ type: "pre" as const, offset: 0, length: LONG_WORD.length }];
  const reply_markup = { inline_keyboard: keyboard };
  sandbox.post(chat, { from: sandbox.bot, text: LONG_WORD, entities, reply_markup, reply_to_message });
}

test("the group and its menu do not scroll sideways at 320 px", async () => {
  const view = await SandboxPage.open(browser(), { width: 320, height: 640 }, { group: GROUP });
  await view.openGroup(ANNA);
  const chat = view.chat(ANNA, view.sandbox.groupId);
  fill(view.sandbox, view.sandbox.groupId);
  await chat.getByText("Three").waitFor();
  for (const row of await chat.locator(".row").all()) {
    await row.locator(".bubble").hover();
    await row.locator(".row-tool").focus();
    expect(await sidewaysPx(chat.locator(".scroller"))).toBe(0);
  }
  await chat.locator(".row-tool").last().click();
  await view.page.getByTestId("context-menu").waitFor();
  expect(await sidewaysPx(view.page.locator("html"))).toBe(0);
});

test("a chat scrolled to its end stays there when the layout changes", async () => {
  const view = await SandboxPage.open(browser(), PHONE);
  await view.start(ANNA);
  for (let n = 0; n < 30; n += 1) view.sandbox.post(ANNA, { from: view.sandbox.bot, text: `line ${n}` });
  await view.chat(ANNA).getByText("line 29").waitFor();
  const scroller = view.chat(ANNA).locator(".scroller");
  const toEnd = view.chat(ANNA).getByTestId("to-end");
  await expect.poll(() => endBelowPx(scroller)).toBeLessThan(2);

  await growWhileScrolling(scroller);
  await expect.poll(() => endBelowPx(scroller)).toBeLessThan(2);
  expect(await toEnd.isVisible()).toBe(false);

  await scroller.evaluate((element) => element.scrollTo(0, 0));
  await toEnd.waitFor();
  expect(await endBelowPx(scroller), "who scrolls away is left alone").toBeGreaterThan(400);
});

test("messages written offline wait in order, and are sent once after reconnecting", async () => {
  const view = await SandboxPage.open(browser());
  await view.start(ANNA);
  await view.context.setOffline(true);
  const words = ["one", "two", "three", "two"];
  for (const text of words) await view.say(ANNA, text);
  await expect.poll(() => view.chat(ANNA).locator(".is-waiting").count()).toBe(words.length);
  expect(view.sandbox.messages(ANNA)).toHaveLength(1);
  await view.context.setOffline(false);
  await expect.poll(() => view.chat(ANNA).getByTestId("outgoing").count()).toBe(0);
  expect(view.sandbox.messages(ANNA).map(({ text }) => text)).toEqual(["/start", ...words]);
  expect(await view.chat(ANNA).getByTestId("message").count()).toBe(5);
});

test("the menu edits and deletes own messages; in a group it only replies to the bot's", async () => {
  const view = await SandboxPage.open(browser(), PHONE, { group: GROUP });
  const { sandbox } = view;
  await view.openGroup(ANNA);
  sandbox.person(ANNA).sendText("a cat", { chat: sandbox.groupId });
  sandbox.post(sandbox.groupId, { from: sandbox.bot, text: "the bot's" });
  const rows = view.chat(ANNA, sandbox.groupId).getByTestId("message");
  const menu = view.page.getByTestId("context-menu");
  await rows.filter({ hasText: "the bot's" }).locator(".bubble").click({ button: "right" });
  expect(await menu.getByRole("menuitem").allTextContents()).toEqual(["Reply", "Copy text"]);
  await view.page.keyboard.press("Escape");
  await menu.waitFor({ state: "detached" });

  await rows.filter({ hasText: "a cat" }).locator(".bubble").click({ button: "right" });
  await menu.getByRole("menuitem", { name: "Edit" }).click();
  await view.say(ANNA, "a dog");
  await rows.filter({ hasText: "a dog" }).getByText("edited").waitFor();
  expect(await view.pane(ANNA).getByTestId("reply-bar").isVisible()).toBe(false);

  await rows.filter({ hasText: "a dog" }).locator(".row-tool").click();
  await menu.getByRole("menuitem", { name: "Delete" }).click();
  await expect.poll(() => rows.count()).toBe(1);
  expect(sandbox.messages(sandbox.groupId).some(({ text }) => text === "a dog")).toBe(false);
});

test("topics are separate from each other and from General, and messages go to the open one", async () => {
  const view = await SandboxPage.open(browser(), PHONE, { group: GROUP });
  const { sandbox } = view;
  await view.openGroup(ANNA);
  const chat = view.chat(ANNA, sandbox.groupId);
  await view.say(ANNA, "in general");
  await chat.getByTestId("message").getByText("in general").waitFor();
  await chat.getByRole("tab", { name: "Results" }).click();
  await expect.poll(() => chat.getByTestId("message").count()).toBe(0);
  await view.say(ANNA, "in results");
  await chat.getByTestId("message").getByText("in results").waitFor();
  const [general, results] = sandbox.messages(sandbox.groupId).filter(({ text }) => text?.startsWith("in "));
  expect(general).not.toHaveProperty("is_topic_message");
  const opening = { forum_topic_created: expect.objectContaining({ name: "Results" }) };
  expect(results).toMatchObject({ is_topic_message: true, reply_to_message: opening });

  await chat.getByRole("tab", { name: "Ideas" }).click();
  sandbox.person(BORIS).sendText("an answer", {
    chat: sandbox.groupId,
    ...(results?.message_thread_id === undefined ? {} : { thread: results.message_thread_id }),
  });
  await chat.locator(`[data-topic="${results?.message_thread_id}"] .topic-unread`).waitFor();
  expect(await chat.getByText("an answer").count()).toBe(0);
  await chat.getByRole("tab", { name: "Results" }).click();
  await chat.getByText("an answer").waitFor();
  expect(await chat.locator(".topic-unread").count()).toBe(0);
});
