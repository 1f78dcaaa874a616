import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openBrowser } from "./browser.js";
import { ANNA, BORIS, numberOf, OLGA, plays, seesPicture, Visit } from "./visit.js";

const RESULT_MS = 60_000;
/** More than a task takes in the demo, in a slow queue too. */
const TASK_MS = 180_000;
const PHOTO = join(import.meta.dirname, "../../packages/telegram-sandbox/src/page/screenshot.png");

const browser = openBrowser();

test("with --upstream services make a picture, a video from a photo and a song, and their queue is seen", async () => {
  const visit = await Visit.begin(browser(), undefined, ["--upstream"]);
  onTestFinished(() => visit.close());
  const services = visit.services;

  await visit.start(BORIS);
  await visit.say(BORIS, "/video");
  await visit.press(BORIS, /^🎨 (?:Model|Модель)$/);
  await visit.press(BORIS, /^Kling 4/);
  await visit.button(BORIS, /^Качество/).waitFor();
  await visit.attach(BORIS, { name: "me.png", mimeType: "image/png", buffer: await readFile(PHOTO) });
  await visit.see(BORIS, "Приложено фото: 1");
  await visit.say(BORIS, "лодка плывёт под луной");
  await visit.press(BORIS, /^✅ Создать · 95\u00a0₽/);

  await visit.lookAs(OLGA);
  await visit.start(OLGA);
  await visit.say(OLGA, "/music");
  await visit.press(OLGA, /^🎨 (?:Model|Модель)$/);
  await visit.press(OLGA, /^• Suno V6/);
  await visit.say(OLGA, "a quiet song about a night train");
  await visit.press(OLGA, /^✅ Generate · 25\u00a0₽/);

  await visit.lookAs(ANNA);
  await visit.start(ANNA);
  await visit.say(ANNA, "a lighthouse on a cliff [fault:slow-queue]");
  await visit.press(ANNA, /^✅ Generate · 10\u00a0₽/);
  await visit.see(ANNA, /Place in the queue: [1-6]\d/);
  await visit.skip(TASK_MS);
  await seesPicture(visit.chat(ANNA).locator("img.photo").last(), RESULT_MS);
  await visit.see(ANNA, "Nano Banana 2.1 · 10\u00a0₽ · balance\u00a0290\u00a0₽");

  await visit.lookAs(OLGA);
  const tracks = visit.chat(OLGA).getByTestId("album").getByTestId("audio");
  await tracks.nth(1).waitFor({ timeout: RESULT_MS });
  for (const track of await tracks.all()) {
    await track.scrollIntoViewIfNeeded();
    await seesPicture(track.locator("img.cover"), RESULT_MS);
  }
  await visit.see(OLGA, "✅ 2 tracks");
  await tracks.last().getByRole("button", { name: "Play" }).click();
  await plays(tracks.last().locator("audio"));
  await tracks.last().getByRole("button", { name: "Pause" }).waitFor();

  await visit.lookAs(BORIS);
  const video = visit.chat(BORIS).locator("video.video");
  await video.waitFor({ state: "visible", timeout: RESULT_MS });
  await expect.poll(() => numberOf(video, "duration")).toBeCloseTo(5, 0);
  await visit.chat(BORIS).locator(".duration-badge", { hasText: "0:05" }).waitFor();
  expect(await numberOf(video, "controls"), "nothing covers the picture before it plays").toBe(0);
  await visit.chat(BORIS).locator(".video-start").click();
  await plays(video);

  await expect.poll(() => services.getByTestId("task").allTextContents()).toHaveLength(3);
  expect(await services.locator("[data-state=made]").count()).toBe(3);
  await services.locator("[data-service=fal] .service-spent", { hasText: /^\$0\.[1-9]/ }).waitFor();
  await services.locator("[data-service=kie] .service-spent", { hasText: "12\u00a0credits" }).waitFor();
  await visit.end();
});

test("with --upstream a refusal, a service without credit and their refunds are caused and seen on the page", async () => {
  const visit = await Visit.begin(browser(), { width: 1280, height: 800 }, ["--upstream"]);
  onTestFinished(() => visit.close());
  const services = visit.services;
  await services.waitFor();
  for (const person of [ANNA, BORIS, OLGA]) await visit.pane(person).waitFor();
  await services.getByText("Show the marks").click();
  const marks = services.locator(".fault-list li");
  await marks.first().waitFor();
  expect(await marks.count()).toBeGreaterThan(20);
  expect(await services.textContent(), "codes of faults are out of sight").not.toContain("[fault:");

  await visit.start(ANNA);
  await visit.lookAs(OLGA);
  await visit.start(OLGA);

  await services.getByRole("button", { name: "Refuse it" }).click();
  await services.getByRole("button", { name: "Refuse it", pressed: true }).waitFor();
  await visit.say(ANNA, "a red fox");
  await visit.press(ANNA, /^✅ Generate · 10\u00a0₽/);
  await services.locator(".task[data-state=waiting]").waitFor();
  await visit.skip(TASK_MS);
  await visit.see(ANNA, "rules don’t allow this request");
  await visit.see(ANNA, "Your money is back:");
  await services.locator(".task[data-state=refused]").waitFor();
  await services.getByRole("button", { name: "Refuse it", pressed: false }).waitFor();

  await services.getByLabel("State of fal").selectOption("no-credit");
  await services.locator("[data-service=fal][data-state=no-credit]").waitFor();
  await visit.say(ANNA, "a red fox");
  await visit.press(ANNA, /^✅ Generate · 10\u00a0₽/);
  await visit.see(OLGA, "fal takes no new tasks: its account is out of money");
  await services.locator(".task[data-state=waiting]", { hasText: /^kie/ }).waitFor();
  await visit.skip(TASK_MS);
  await seesPicture(visit.chat(ANNA).locator("img.photo").last(), RESULT_MS);
  await visit.see(ANNA, /balance\u00a0290\u00a0₽/);

  const fal = services.locator("[data-service=fal]");
  await fal
    .getByTestId("bot-view")
    .filter({
      hasText: /^Paused by the bot: it is out of credit, next try in \d+ s\. New orders go to another/,
    })
    .waitFor();
  await services.getByLabel("State of fal").selectOption("good");
  await fal.getByRole("button", { name: "Resume" }).click();
  await fal.getByTestId("bot-view").waitFor({ state: "hidden" });
  await visit.end();
});
