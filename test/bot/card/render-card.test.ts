import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/bot/card/draft-store.js";
import { offeredModels } from "../../../src/bot/card/form/change-model.js";
import { fieldsOf } from "../../../src/bot/card/form/fields.js";
import { chatPicture } from "../../../src/bot/card/form/picture-fields.js";
import { type CardMessage, inRows, renderCard } from "../../../src/bot/card/render-card.js";
import { TopUps } from "../../../src/bot/payments/top-ups.js";
import { GENERATION_TYPES, type GenerationType, type Model } from "../../../src/contract/model.js";
import { asKopecks } from "../../../src/contract/price.js";
import type { Till } from "../../../src/tills/till.js";
import { catalogue } from "../../support/core.js";
import {
  actionsOf,
  buttonsOf,
  cardOf,
  draftOn,
  modelNamed,
  modelsOf,
  money,
  shownText,
  t,
  texts,
} from "../../support/drafts.js";

/** The labels of a card, with spaces in place of the unbreakable ones. */
function labelsOn({ keyboard }: CardMessage): string[] {
  return keyboard.inline_keyboard.flat().map(({ text }) => text.replaceAll("\u00a0", " "));
}

/** Labels of a card in Russian. */
function labels(draft: Draft): string[] {
  return labelsOn(cardOf(draft, modelsOf(draft.type), "ru"));
}

test.each(catalogue.models)(
  "a card of $title has few buttons and ends with the paying one, alone in its row",
  (model) => {
    const given = fieldsOf(model)
      .pictures.filter(({ isRequired }) => isRequired)
      .map(({ name }) => [name, "https://example.com/a.png"]);
    const parameters = { ...draftOn(model).parameters, ...Object.fromEntries(given) };
    const draft = draftOn(model, { parameters, text: "a red fox in the deep snow" });
    for (const locale of ["en", "ru"]) {
      const message = cardOf(draft, modelsOf(model.type), locale);
      // A song has two ways.
      for (const one of [message, cardOf(draftOn(model), modelsOf(model.type), locale)])
        expect(labelsOn(one).length).toBeLessThanOrEqual(model.type === "music" ? 8 : 7);
      expect(actionsOf(message).at(-1)?.action).toBe("pay");
      expect(message.keyboard.inline_keyboard.at(-1)).toHaveLength(1);
      const text = message.text.replaceAll("\u00a0", " ");
      expect(labelsOn(message).filter((label) => text.includes(label))).toEqual([]);
    }
  },
);

describe("in Russian", () => {
  const veo = modelNamed("veo-3-1");
  const suno = modelNamed("music:suno-v5");
  const nano = modelNamed("nano-banana-2");

  test("a video card shows its format, length and quality, and the rest behind a button", () => {
    expect(labels(draftOn(veo, { text: "лиса" }))).toEqual([
      "Формат: 16:9",
      "Длина: 4 с",
      "Качество: 720p",
      "⚙️ Ещё",
      "🎨 Модель",
      "✖️ Отмена",
      "✅ Создать · 44 ₽",
    ]);
    expect(labels(draftOn(veo, { text: "лиса", view: { kind: "more" } }))).toEqual([
      "✍️ Описание",
      "🎞 По тексту",
      "Режим: лучшее качество",
      "Звук: нет",
      "‹ Назад",
    ]);
    const made = draftOn(veo, { view: { kind: "parameter", name: "video_input_mode" } });
    expect(labels(made)).toEqual(["• По тексту", "По фото", "По образцам", "‹ Назад"]);
    expect(cardOf(made, modelsOf("video"), "ru").text).toContain("Из чего сделать видео?");
  });

  test("a mode that another version makes names it, and the title follows", () => {
    const kling = modelNamed("kling-4");
    const titles = { standard: "Kling 4.0", fast: "Kling 3.0 Turbo" };
    const versions = { parameter: "video_speed_mode", titles };
    const served = { ...kling, title: "Kling 4.0 / Kling 3.0 Turbo", versions };
    const shown = (change: Partial<Draft>) => cardOf(draftOn(kling, change), [served], "ru");
    expect(shown({}).text).toContain("<b>Kling 4.0</b>");
    const choice = shown({ view: { kind: "parameter", name: "video_speed_mode" } });
    expect(labelsOn(choice)).toEqual(["• лучшее качество · 95 ₽", "быстрый (3.0 Turbo) · 72 ₽", "‹ Назад"]);
    const fast = { parameters: { ...draftOn(kling).parameters, video_speed_mode: "fast" } };
    expect(shown(fast).text).toContain("<b>Kling 3.0 Turbo</b>");
    expect(shown(fast).text).toContain("⚙️ Режим: быстрый (3.0 Turbo)");
    const list = shown({ view: { kind: "models", page: 0 } });
    expect(labelsOn(list)[0]).toBe("• Kling 4.0");
  });

  test("what follows from a photo is not told as a setting, the number of photos is", () => {
    const parameters = {
      ...draftOn(veo).parameters,
      video_input_mode: "frames",
      start_frame_url: chatPicture("a"),
    };
    const { text } = cardOf(draftOn(veo, { text: "лиса", parameters }), modelsOf("video"), "ru");
    expect(text).toContain("🖼 Приложено фото: 1.");
    expect(text).not.toContain("⚙️");
    const chosen = { ...draftOn(veo).parameters, video_input_mode: "references" };
    const asked = cardOf(draftOn(veo, { text: "лиса", parameters: chosen }), modelsOf("video"), "ru");
    expect(asked.text).toContain("⚙️ 🎞 По образцам");
  });

  test("values that change the price show their price", () => {
    const view = (name: string) => ({ view: { kind: "parameter", name } as const });
    expect(labels(draftOn(nano, view("resolution"))).slice(0, 3)).toEqual([
      "• 1K · 10 ₽",
      "2K · 15 ₽",
      "4K · 20 ₽",
    ]);
    expect(labels(draftOn(veo, view("sound"))).slice(0, 2)).toEqual(["• нет · 44 ₽", "да · 66 ₽"]);
    expect(labels(draftOn(veo, view("video_speed_mode")))).toContain("быстрый · 27 ₽");
    expect(labels(draftOn(nano, view("aspect_ratio"))).join()).not.toContain("₽");
  });

  test("a track is sung or instrumental, and its weights are shown in words", () => {
    expect(labels(draftOn(suno))).toContain("🎤 Вокал: есть");
    const parameters = { ...draftOn(suno).parameters, make_instrumental: true };
    expect(labels(draftOn(suno, { parameters }))).toContain("🎤 Вокал: нет");
    const weight = draftOn(suno, { view: { kind: "parameter", name: "style_weight" } });
    expect(labels(weight).slice(0, 3)).toEqual(["слабо", "• средне", "сильно"]);
  });

  test("lengths of songs are offered and shown as minutes", () => {
    const eleven = modelNamed("music:elevenlabs");
    expect(labels(draftOn(eleven))).toContain("Длина: 2 мин");
    const view = { kind: "parameter", name: "duration_sec" } as const;
    expect(labels(draftOn(eleven, { view })).slice(0, 6)).toEqual([
      "30 с",
      "1 мин",
      "• 2 мин",
      "3 мин",
      "4 мин",
      "6 мин",
    ]);
    const odd = { ...draftOn(eleven).parameters, duration_sec: 150 };
    expect(labels(draftOn(eleven, { parameters: odd }))).toContain("Длина: 2:30");
  });

  test("a preview of a song says that nobody sings", () => {
    const { text } = cardOf(draftOn(suno), [{ ...suno, isPreview: true }], "ru");
    expect(text).toContain("<b>Suno V5</b> <i>(демо, без голоса)</i>");
  });

  test("photos of the chat are numbered, and those beyond the model's limit are struck through", () => {
    const lite = modelNamed("nano-banana-2-lite");
    const reference_urls = ["a", "b", "c", "d", "e"].map(chatPicture);
    const view = { kind: "parameter", name: "reference_urls" } as const;
    const { text } = cardOf(draftOn(lite, { parameters: { reference_urls }, view }), modelsOf("image"), "ru");
    expect(text).toContain("фото\u00a01, фото\u00a02, фото\u00a03, фото\u00a04, <s>фото\u00a05</s>");
  });
});

test("a rare setting appears on the card only when it differs from its default", () => {
  const suno = modelNamed("music:suno-v5");
  const plain = draftOn(suno, { text: "a slow song" });
  expect(cardOf(plain, modelsOf("music")).text).not.toContain("⚙️");
  const titled = { ...plain, parameters: { ...plain.parameters, title: "Night <train>" } };
  expect(cardOf(titled, modelsOf("music")).text).toContain("⚙️ Title: Night &lt;train&gt;");
});

test.each([
  ["en", "(demo)"],
  ["ru", "(демо)"],
])("a card mentions a local preview model once (%s)", (locale, words) => {
  const [model] = catalogue.models;
  if (!model) throw new Error("an empty catalogue");
  const shown = (isPreview: boolean) => shownText(cardOf(draftOn(model), [{ ...model, isPreview }], locale));
  expect(shown(true).split(words)).toHaveLength(2);
  expect(shown(true)).toContain(`${model.title} ${words}`);
  expect(shown(true)).not.toContain("preview");
  expect(shown(false)).not.toContain(words);
});

test("a card names no sum as exact while the service tells no factor for the sound", () => {
  const film: Model = {
    type: "video",
    model_key: "film",
    title: "Film",
    price_rub: 40,
    defaults: { sound: false },
    parameters: {
      prompt: { type: "string", required: true },
      sound: { type: "boolean", required: false, default: false },
    },
  };
  const shown = (sound: boolean) => {
    const { text, keyboard } = cardOf(draftOn(film, { text: "a fox", parameters: { sound } }), [film]);
    return `${text} ${JSON.stringify(keyboard)}`;
  };
  const from = t("models-price-from", { price: money(40_00) });
  expect(shown(true).split(from)).toHaveLength(2);
  expect(shown(false)).toContain(money(40_00));
  expect(shown(false)).not.toContain(from);
});

const ofType = (type: GenerationType) => offeredModels(modelsOf(type));
const view = { kind: "models", page: 0 } as const;

function modelButtons(page: ReturnType<typeof cardOf>): string[] {
  return labelsOn(page).filter((label) => !label.startsWith("‹") && !label.startsWith("✖️"));
}

test.each(GENERATION_TYPES)(
  "the list of %s models is one page in one order, with what each is, its price and whether it needs a photo",
  (type) => {
    const models = ofType(type);
    const [, second] = models;
    if (!second) throw new Error("too few models");
    for (const locale of ["en", "ru"] as const) {
      const page = cardOf(draftOn(second, { view }), models, locale);
      const titles = models.map((model) => (model === second ? `• ${model.title}` : model.title));
      expect(modelButtons(page)).toEqual(titles);
      const places = models.map(({ title }) => page.text.indexOf(`<b>${title}</b> · `));
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      expect(places).not.toContain(-1);
      for (const { about } of models) expect(page.text).toContain(about?.[locale]);
      const needy = page.text.split("<b>").filter((one) => one.includes("📷"));
      const expected = type === "video" ? ["Grok Imagine Video"] : [];
      expect(needy.map((one) => one.split("</b>", 1)[0])).toEqual(expected);
    }
  },
);

test("a model that has a successor is left out of the list, and a card on it stays", () => {
  const models = modelsOf("music");
  const [successor, old] = models;
  if (!successor || old?.successor !== successor.model_key) throw new Error("no model with a successor");
  expect(modelButtons(cardOf(draftOn(old, { view }), models))).not.toContain(old.title);
  expect(shownText(cardOf(draftOn(old, { text: "a slow song" }), models))).toContain(old.title);
  // Where only the old one is made, it is what there is to choose.
  expect(modelButtons(cardOf(draftOn(old, { view }), [old]))).toEqual([`• ${old.title}`]);
});

test("with a photo the list marks the models that take none", () => {
  const models = ofType("video");
  const [model] = models;
  if (!model) throw new Error("no model");
  const words = texts.in("ru").t("models-no-photo");
  const shown = (parameters: object) =>
    cardOf(draftOn(model, { view, parameters: { ...parameters } }), models, "ru");
  const marked = buttonsOf(shown({ start_frame_url: chatPicture("A") })).filter(({ text }) =>
    text.endsWith(words),
  );
  expect(marked).toMatchObject([{ text: `Seedance 2.5 Flash · ${words}` }]);
  expect(JSON.stringify(shown({}))).not.toContain(words);
});

test("a longer list is cut into pages that fit a message", () => {
  const [model] = ofType("image");
  if (!model) throw new Error("no model");
  const many = Array.from({ length: 40 }, (_, n) => ({
    ...model,
    model_key: `model-${n}`,
    title: `${n} ${"x".repeat(200)}`,
    about: { en: "y".repeat(500), ru: "" },
  }));
  const page = cardOf(draftOn(many[0] ?? model, { view, text: "z".repeat(5000) }), many);
  expect(shownText(page).length).toBeLessThanOrEqual(4096);
  expect(modelButtons(page).slice(-2)).toEqual(["◀️", "▶️"]);
});

/** The card of a dear video where the balance is this. */
function poor(balanceKopecks: number, supportContact?: string): CardMessage {
  const kling = modelNamed("kling-4");
  const parameters = { ...draftOn(kling).parameters, resolution: "1080p", duration_sec: 10 };
  return renderCard(draftOn(kling, { text: "лиса в снегу", parameters }), {
    models: modelsOf("video"),
    allModels: [],
    balanceKopecks: asKopecks(balanceKopecks),
    language: texts.in("ru"),
    supportContact,
    isGroup: false,
    ownerName: "Ann",
  });
}

test("a card that the balance does not pay offers what it pays and whom to ask, and is paid with just enough", () => {
  const card = poor(200_00, "@olga");
  expect(labelsOn(card).filter((label) => label.startsWith("✅"))).toEqual([]);
  expect(labelsOn(card).slice(-4)).toEqual([
    "Дешевле: 720p · 190 ₽",
    "Дешевле: 5 с · 140 ₽",
    "💬 @olga",
    "🔄 Обновить",
  ]);
  expect(card.keyboard.inline_keyboard.flat()).toContainEqual({ text: "💬 @olga", url: "https://t.me/olga" });
  expect(card.text.replaceAll("\u00a0", " ")).toContain("Цена: <b>280 ₽</b> · Баланс: 200 ₽");
  expect(labelsOn(poor(280_00)).at(-1)).toBe("✅ Создать · 280 ₽");
});

test("while money is missing a card shows what helps alone, in words, and settings when it is there", () => {
  const sold = { till: { name: "yookassa" }, topUp: { price: 50_00, kopecks: asKopecks(50_00) } };
  const tills = [{ ...sold.till, limits: { minKopecks: asKopecks(50_00), maxKopecks: asKopecks(900_00) } }];
  const topUps = new TopUps(tills as unknown as readonly Till[], "atelier_bot");
  topUps.offersOf = () => [{ till: tills[0] as unknown as Till, topUp: sold.topUp }];
  const nano = modelNamed("nano-banana-2");
  const draft = draftOn(nano, { text: "лиса", parameters: { ...draftOn(nano).parameters, count: 2 } });
  const card = (balanceKopecks: number, isGroup = false) =>
    renderCard(draft, {
      models: modelsOf("image"),
      allModels: [],
      balanceKopecks: asKopecks(balanceKopecks),
      language: texts.in("ru"),
      supportContact: undefined,
      isGroup,
      ownerName: "Ann",
      topUps,
    });
  expect(labelsOn(card(10_00))).toEqual([
    "🎨 Модель",
    "✖️ Отмена",
    "💳 Пополнить на 50 ₽, меньше нельзя",
    "➕ Другая сумма",
    "🔄 Обновить",
    "Дешевле: 1 картинка · 10 ₽",
  ]);
  expect(labelsOn(card(20_00))).toContain("Картинок: 2");
  expect(labelsOn(card(10_00, true))).toEqual(["🎨 Модель", "✖️ Отмена", "➕ Пополнить", "🔄 Обновить"]);
});

test("it offers nothing cheaper where nothing is, and a contact only where a link leads to one", () => {
  expect(labelsOn(poor(0, "ask the office")).slice(-2)).toEqual(["✖️ Отмена", "🔄 Обновить"]);
  const linked = labelsOn(poor(0, "https://help.example/chat"));
  expect(linked.slice(-2)).toEqual(["💬 help.example/chat", "🔄 Обновить"]);
});

function laidOut(labels: string[], inARow: number): string[][] {
  const buttons = labels.map((text) => ({ text, callback_data: text }));
  return inRows(buttons, inARow).map((row) => row.map(({ text }) => text));
}

test("short labels share a row, and one that a phone would cut in a narrow button gets a wider one", () => {
  expect(laidOut(["1:1", "3:2", "2:3", "4:3", "3:4"], 4)).toEqual([["1:1", "3:2", "2:3", "4:3"], ["3:4"]]);
  expect(laidOut(["поп", "рок", "хип-хоп", "электронная", "джаз"], 4)).toEqual([
    ["поп", "рок", "хип-хоп"],
    ["электронная", "джаз"],
  ]);
  expect(laidOut(["Режим: по тексту песни", "Стиль: —", "Название: —"], 2)).toEqual([
    ["Режим: по тексту песни"],
    ["Стиль: —", "Название: —"],
  ]);
});
