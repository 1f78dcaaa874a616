import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startDemo } from "../support/demo.js";
import { newFolder } from "../support/new-folder.js";
import { openBrowser } from "./browser.js";
import { ANNA, Visit } from "./visit.js";

const PHONE = { width: 390, height: 844 };
const PAY = /^✅ /;

const browser = openBrowser();

test("a demo with --keep that was killed continues with its chats, balance and cards", async () => {
  const options = ["--keep", join(newFolder(), "demo")];
  const first = await startDemo(options);
  onTestFinished(() => first.stop());
  const before = await Visit.at(first.address, browser(), PHONE);
  await before.start(ANNA);
  await before.say(ANNA, "/image a mill");
  const words = await before.button(ANNA, PAY).textContent();
  await before.close();
  await first.stop("SIGKILL");

  const second = await startDemo(options);
  onTestFinished(() => second.stop());
  const after = await Visit.at(second.address, browser(), PHONE);
  expect(await after.pane(ANNA).getByTestId("start").isVisible()).toBe(false);
  expect(await after.button(ANNA, PAY).textContent()).toBe(words);
  await after.press(ANNA, PAY);
  await after.chat(ANNA).locator("img.photo").last().waitFor({ timeout: 60_000 });
  await after.end();
  await second.stop();
});
