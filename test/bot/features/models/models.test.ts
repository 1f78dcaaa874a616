import { afterEach, beforeEach, expect, test } from "vitest";
import { type Desk, MAX, openDesk, VERA } from "../../../support/desk-world.js";
import { texts } from "../../../support/drafts.js";

const { t } = texts.in("en");
const KEY = "nano-banana-2";

let desk: Desk;
beforeEach(async () => {
  desk = openDesk();
  await desk.say("/start");
});
afterEach(() => desk.close());

const press = (label: string, from = MAX) => desk.tap(desk.button(label), desk.telegram.lastId, from);
const model = () => desk.core.core.accounts.models.list().find(({ key }) => key === KEY);

/** Opens the screen of the model. */
async function open(): Promise<void> {
  await desk.max("/models");
  const title = `🟢 ${{ image: "🖼", video: "🎬", music: "🎵" }[model()?.type ?? "image"]} ${model()?.title}`;
  while (![...desk.buttons().keys()].some((label) => label.startsWith(title))) await press("›");
  await press([...desk.buttons().keys()].find((label) => label.startsWith(title)) ?? "");
}

test("/models switches a model off and on, and shows what is off", async () => {
  await open();
  expect(desk.said().at(-1)).toContain(KEY);
  await press(t("button-model-off"));
  expect(model()).toMatchObject({ isOff: true });
  expect(desk.said().at(-1)).toContain(t("model-is-off"));
  await press(t("button-model-on"), VERA);
  expect(model()).toMatchObject({ isOff: false });
  expect(desk.acts().map(({ actor }) => actor)).toEqual([`telegram:${VERA.id}`, `telegram:${MAX.id}`]);
  await desk.tap("mo:off:nothing", 1, MAX);
  expect(desk.answered().at(-1)).toBe(t("tap-unknown"));
});

test("a note is typed, read by people on the card and in the list, and removed", async () => {
  await open();
  await press(t("button-model-note"));
  await desk.say("x".repeat(101), MAX);
  expect(desk.said().at(-1)).toBe(t("model-ask-note", { max: 100 }));
  await desk.say("<slow> today", MAX);
  expect(model()).toMatchObject({ note: "<slow> today" });
  const clear = desk.button(t("button-model-clear"));
  await desk.say("/image a fox");
  expect(desk.said().at(-1)).toContain("⚠️ &lt;slow&gt; today");
  await desk.tap(clear, 1, MAX);
  await desk.tap(clear, 1, MAX);
  expect(model()).toMatchObject({ note: null });
  expect(desk.acts()).toHaveLength(2);
});
