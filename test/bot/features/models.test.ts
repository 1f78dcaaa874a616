import { beforeEach, expect, test } from "vitest";
import { MAX } from "../../support/bot-harness.js";
import { type Desk, openDesk, VERA } from "../../support/desk-world.js";
import { t } from "../../support/drafts.js";

const KEY = "nano-banana-2";

let desk: Desk;
beforeEach(async () => {
  desk = openDesk();
  await desk.say("/start");
});

const model = () => desk.core.core.accounts.models.list().find(({ key }) => key === KEY);

/** Opens the screen of the model. */
async function open(): Promise<void> {
  await desk.max("/models");
  const title = `🟢 ${{ image: "🖼", video: "🎬", music: "🎵" }[model()?.type ?? "image"]} ${model()?.title}`;
  while (![...desk.buttons().keys()].some((label) => label.startsWith(title))) await desk.press("›");
  await desk.press([...desk.buttons().keys()].find((label) => label.startsWith(title)) ?? "");
}

test("/models switches a model off and on, and shows what is off", async () => {
  await open();
  expect(desk.said().at(-1)).toContain(KEY);
  await desk.press(t("button-model-off"));
  expect(model()).toMatchObject({ isOff: true });
  expect(desk.said().at(-1)).toContain(t("model-is-off"));
  await desk.press(t("button-model-on"), VERA);
  expect(model()).toMatchObject({ isOff: false });
  expect(desk.acts().map(({ actor }) => actor)).toEqual([`telegram:${VERA.id}`, `telegram:${MAX.id}`]);
  await desk.tap("mo:off:nothing", 1, MAX);
  expect(desk.answered().at(-1)).toBe(t("tap-unknown"));
});

test("each model of the catalogue opens, and can be switched off and given a note", async () => {
  const { models } = desk.core.core.accounts;
  await desk.max("/models");
  const shown = [...desk.buttons().values()];
  while (desk.buttons().has("›")) {
    await desk.press("›");
    shown.push(...desk.buttons().values());
  }
  for (const data of shown.filter((one) => one.startsWith("mo:show:"))) {
    await desk.tap(data, 1, MAX);
    await desk.press(t("button-model-off"));
    await desk.press(noteIn("English"));
    await desk.say("slow", MAX);
  }
  expect(models.list().length).toBeGreaterThan(10);
  for (const one of models.list()) expect(one).toMatchObject({ isOff: true, note: { en: "slow" } });
});

const noteIn = (language: string) => t("button-model-note", { language });

test("a note is given for each language, and read on the card by those who speak it", async () => {
  const asked = (language: string) => t("model-ask-note", { language, max: 100 });
  await open();
  await desk.press(noteIn("English"));
  expect(desk.said().at(-1)).toBe(asked("English"));
  await desk.say("x".repeat(101), MAX);
  expect(desk.said().at(-1)).toBe(asked("English"));
  await desk.say("<slow> today", MAX);
  await desk.say("/image лиса", { ...VERA, language_code: "ru" });
  expect(desk.said().at(-1)).not.toContain("⚠️");
  await open();
  await desk.press(noteIn("Русский"));
  expect(desk.said().at(-1)).toBe(asked("Русский"));
  await desk.say("сегодня\nмедленно", MAX);
  expect(model()).toMatchObject({ note: { en: "<slow> today", ru: "сегодня медленно" } });
  expect(desk.said().at(-1)).toContain(t("model-note", { language: "Русский", note: "сегодня медленно" }));
  const clear = desk.button(t("button-model-clear"));
  await desk.say("/image a fox");
  expect(desk.said().at(-1)).toContain("⚠️ &lt;slow&gt; today");
  await desk.tap("l:ru:7", 1);
  await desk.say("/image лиса");
  expect(desk.said().at(-1)).toContain("⚠️ сегодня медленно");
  await desk.tap(clear, 1, MAX);
  await desk.tap(clear, 1, MAX);
  expect(model()).toMatchObject({ note: null });
  expect(desk.acts()).toHaveLength(3);
});
