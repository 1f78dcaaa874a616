import { describe, expect, test } from "vitest";
import { ANN, openBotHarness, press } from "../../support/bot-harness.js";
import { texts, withText } from "../../support/drafts.js";

const { t } = texts.in("en");
const BACK = t("button-back");
const GROUP = { id: -5, type: "supergroup" as const, title: "Studio" };

type Harness = ReturnType<typeof openBotHarness>;

function openDraft({ drafts }: Harness, chatId = ANN.id) {
  const draft = drafts.composing(ANN.id, chatId);
  if (!draft) throw new Error("no card is open");
  return withText(draft);
}

const QUESTIONS = [
  {
    asked: "a description",
    words: "/image a fox",
    button: "✍️",
    view: "text",
    answer: "a wolf",
  },
  {
    asked: "a title",
    words: "/music a fox",
    button: "Title",
    view: "parameter",
    answer: "Sea",
  },
  {
    asked: "a number",
    words: "/music a fox",
    button: "Style strength",
    view: "parameter",
    answer: "0.7",
  },
] as const;

const hasButton = ({ buttons }: Harness, label: string) =>
  [...buttons().keys()].some((text) => text.startsWith(label));

/** A card with a description, on the page that has the button. Rare settings are on its second page. */
async function openCardAt({ words, button }: (typeof QUESTIONS)[number]) {
  const harness = openBotHarness();
  await harness.say(words);
  const [card, shown] = [openDraft(harness), harness.said().at(-1)];
  if (!hasButton(harness, button)) await press(harness, t("button-more"));
  return { ...harness, card, shown };
}

/** The same with its question open. */
async function openAt(question: (typeof QUESTIONS)[number]) {
  const harness = await openCardAt(question);
  await press(harness, question.button);
  return harness;
}

describe.each(QUESTIONS)("a question for $asked", (question) => {
  test("says how to leave it, and its ‹ Back button shows the card unchanged", async () => {
    const harness = await openAt(question);
    expect(openDraft(harness).view.kind).toBe(question.view);
    expect(harness.said().at(-1)).toContain("tap ‹\u00a0Back");
    await press(harness, BACK);
    if (hasButton(harness, BACK)) await press(harness, BACK);
    expect(harness.said().at(-1)).toBe(harness.shown);
    expect(openDraft(harness)).toMatchObject({ view: { kind: "card" }, text: "a fox" });
  });

  test("is closed by /cancel, which shows the card again; the next /cancel discards the card", async () => {
    const harness = await openAt(question);
    const { shown } = harness;
    harness.calls.length = 0;
    await harness.say("/cancel");
    expect(harness.calls.map(({ method }) => method)).toEqual(["sendMessage", "deleteMessage"]);
    expect(harness.said()).toEqual([shown]);
    const { card } = harness;
    expect(openDraft(harness)).toMatchObject({ id: card.id, view: card.view, parameters: card.parameters });
    await harness.say("/cancel");
    expect(harness.drafts.composing(ANN.id, ANN.id)).toBeUndefined();
    expect(harness.said().at(-1)).toBe(t("cancelled"));
  });

  test("stays open after a sticker, a voice message and another command, then takes its answer", async () => {
    const harness = await openAt(question);
    const before = openDraft(harness);
    harness.calls.length = 0;
    await harness.send({ sticker: { file_id: "s" } as never });
    await harness.send({ voice: { file_id: "v" } as never });
    const refusals = ["prompt-no-text", "unreadable-voice"].map((key) => `${t(key)} ${t("page-back")}`);
    expect(harness.said()).toEqual(refusals);
    await harness.say("/balance");
    expect(openDraft(harness)).toEqual({ ...before, refusals: 2 });
    await harness.say(question.answer);
    const { parameters, text: prompt, view } = openDraft(harness);
    expect(view).toEqual({ kind: "card" });
    expect([prompt, ...Object.values(parameters)].map(String)).toContain(question.answer);
    expect(prompt).toBe(question.view === "text" ? question.answer : "a fox");
  });

  test("is asked once after a double tap", async () => {
    const harness = await openCardAt(question);
    const [, data = ""] = [...harness.buttons()].find(([text]) => text.startsWith(question.button)) ?? [];
    const { messageId } = openDraft(harness);
    for (let tap = 0; tap < 2; tap += 1) await harness.tap(data, messageId ?? 0);
    expect(harness.calls.filter(({ method }) => method === "sendMessage")).toHaveLength(1);
    expect(openDraft(harness).view.kind).toBe(question.view);
  });
});

test("/cancel that is handled again after a crash does not discard the card that it showed", async () => {
  const harness = await openAt(QUESTIONS[0]);
  const cancel = { text: "/cancel", entities: [{ type: "bot_command", offset: 0, length: 7 }] } as never;
  const message = {
    message_id: 5000,
    date: 1,
    from: ANN,
    chat: { id: ANN.id, type: "private" },
    ...(cancel as object),
  };
  for (let run = 0; run < 2; run += 1) await harness.handle({ message: message as never });
  expect(openDraft(harness)).toMatchObject({ view: { kind: "card" }, text: "a fox" });
  expect(harness.said()).not.toContain(t("cancelled"));
});

test("a photo sent while a number is asked for is added to the card, and the question stays open", async () => {
  const harness = openBotHarness();
  const { models } = harness.gateway;
  harness.gateway.models = async () =>
    (await models()).map((model) => {
      const { duration_sec, ...parameters } = model.parameters;
      const seconds = { type: "number", required: false, min: 1, max: 99 } as never;
      return model.type === "video"
        ? { ...model, parameters: { ...parameters, duration_sec: seconds } }
        : model;
    });
  await harness.say("/video a fox");
  await press(harness, "Length");
  await harness.send({ photo: [{ file_id: "p", file_unique_id: "p", width: 1, height: 1 }] });
  expect(openDraft(harness).view).toEqual({ kind: "parameter", name: "duration_sec" });
  expect(harness.said().at(-1)).toContain(t("pictures-given", { count: 1 }));
  await harness.say("7");
  expect(openDraft(harness)).toMatchObject({ text: "a fox", parameters: { duration_sec: 7 } });
  expect(JSON.stringify(openDraft(harness).parameters)).toContain("telegram:p");
});

test("in a group the question is answered by a reply, and ‹ Back or /cancel closes it", async () => {
  const harness = openBotHarness();
  await harness.say("/image", ANN, { chat: GROUP });
  const lastSent = () => harness.calls.findLast(({ method }) => method === "sendMessage")?.payload;
  expect(lastSent()).toMatchObject({ reply_markup: { force_reply: true } });
  await harness.say("/cancel@atelier_bot", ANN, { chat: GROUP });
  expect(openDraft(harness, GROUP.id).view).toEqual({ kind: "card" });
  for (const leave of [
    () => press(harness, BACK, { chat: GROUP }),
    () => harness.say("/cancel@atelier_bot", ANN, { chat: GROUP }),
  ]) {
    await press(harness, "✍️", { chat: GROUP });
    expect(lastSent()?.text).toContain("tap ‹\u00a0Back on your card");
    expect(openDraft(harness, GROUP.id).view).toEqual({ kind: "text" });
    await leave();
    expect(openDraft(harness, GROUP.id).view).toEqual({ kind: "card" });
  }
});
