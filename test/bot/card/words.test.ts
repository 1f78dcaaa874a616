import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/bot/card/draft-store.js";
import { offeredModels } from "../../../src/bot/card/form/change-model.js";
import { fieldsOf } from "../../../src/bot/card/form/fields.js";
import { chatPicture } from "../../../src/bot/card/form/picture-fields.js";
import { GENERATION_TYPES } from "../../../src/contract/model.js";
import { catalogue } from "../../support/core.js";
import { actionsOf, buttonsOf, cardOf, draftOn, modelNamed, modelsOf } from "../../support/drafts.js";

function labels(draft: Draft, locale: string): string[] {
  return buttonsOf(cardOf(draft, modelsOf(draft.type), locale)).map(({ text }) => text);
}

describe.each(["en", "ru"])("a card in %s", (locale) => {
  test.each(catalogue.models)("of $title ends with the pay button, alone in its row", (model) => {
    const fields = fieldsOf(model).all;
    const link = "https://example.com/a.png";
    const given = fields.flatMap((field) =>
      field.kind === "pictures" && field.isRequired ? [[field.name, link] as const] : [],
    );
    const parameters = { ...draftOn(model).parameters, ...Object.fromEntries(given) };
    const draft = draftOn(model, { parameters, text: "a red fox in the deep snow" });
    const message = cardOf(draft, modelsOf(model.type), locale);
    expect(actionsOf(message).at(-1)?.action).toBe("pay");
    expect(message.keyboard.inline_keyboard.at(-1)).toHaveLength(1);
    const texts = buttonsOf(message).map(({ text }) => text);
    expect(texts.filter((label) => message.text.includes(label))).toEqual([]);
  });

  test.each(GENERATION_TYPES)(
    "lists each %s model with its description, its price and whether it needs a photo",
    (type) => {
      const models = modelsOf(type);
      const [first] = models;
      if (!first) throw new Error("no model");
      const pages = [0, 1].map(
        (page) => cardOf({ ...draftOn(first), view: { kind: "models", page } }, models, locale).text,
      );
      const list = [...new Set(pages)].join("\n\n");
      for (const model of offeredModels(models)) {
        expect(list).toContain(`<b>${model.title}</b> · `);
        expect(list).toContain(locale === "ru" ? model.about?.ru : model.about?.en);
      }
      const needy = list.split("<b>").filter((one) => one.includes("📷"));
      expect(needy.map((one) => one.split("</b>", 1)[0])).toEqual(
        type === "video" ? ["Grok Imagine Video"] : [],
      );
    },
  );
});

describe("in Russian", () => {
  const veo = modelNamed("veo-3-1");
  const suno = modelNamed("music:suno-v5");
  const nano = modelNamed("nano-banana-2");

  test("a video card shows its format, length and quality, and the rest behind a button", () => {
    expect(labels(draftOn(veo, { text: "лиса" }), "ru")).toEqual([
      "Формат: 16:9",
      "Длина: 4\u00a0с",
      "Качество: 720p",
      "⚙️ Ещё",
      "🎨 Модель",
      "✖️ Отмена",
      "✅ Создать · 44\u00a0₽",
    ]);
    expect(labels(draftOn(veo, { text: "лиса", view: { kind: "more" } }), "ru")).toEqual([
      "✍️ Описание",
      "🎞 По тексту",
      "Режим: лучшее качество",
      "Звук: нет",
      "‹ Назад",
    ]);
    const made = draftOn(veo, { view: { kind: "parameter", name: "video_input_mode" } });
    expect(labels(made, "ru")).toEqual(["• По тексту", "По фото", "По образцам", "‹ Назад"]);
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
    expect(buttonsOf(choice).map(({ text }) => text.replace("\u00a0", " "))).toEqual([
      "• лучшее качество · 95 ₽",
      "быстрый (3.0 Turbo) · 72 ₽",
      "‹ Назад",
    ]);
    const fast = { parameters: { ...draftOn(kling).parameters, video_speed_mode: "fast" } };
    expect(shown(fast).text).toContain("<b>Kling 3.0 Turbo</b>");
    expect(shown(fast).text).toContain("⚙️ Режим: быстрый (3.0 Turbo)");
    const list = shown({ view: { kind: "models", page: 0 } });
    expect(buttonsOf(list)[0]?.text).toBe("• Kling 4.0");
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
    expect(labels(draftOn(nano, view("resolution")), "ru").slice(0, 3)).toEqual([
      "• 1K · 10\u00a0₽",
      "2K · 15\u00a0₽",
      "4K · 20\u00a0₽",
    ]);
    expect(labels(draftOn(veo, view("sound")), "ru").slice(0, 2)).toEqual([
      "• нет · 44\u00a0₽",
      "да · 66\u00a0₽",
    ]);
    expect(labels(draftOn(veo, view("video_speed_mode")), "ru")).toContain("быстрый · 27\u00a0₽");
    expect(labels(draftOn(nano, view("aspect_ratio")), "ru").join()).not.toContain("₽");
  });

  test("a track is sung or instrumental, and its weights are shown in words", () => {
    expect(labels(draftOn(suno), "ru")).toContain("🎤 Вокал: есть");
    const parameters = { ...draftOn(suno).parameters, make_instrumental: true };
    expect(labels(draftOn(suno, { parameters }), "ru")).toContain("🎤 Вокал: нет");
    const weight = draftOn(suno, { view: { kind: "parameter", name: "style_weight" } });
    expect(labels(weight, "ru").slice(0, 3)).toEqual(["слабо", "• средне", "сильно"]);
  });

  test("lengths of songs are offered and shown as minutes", () => {
    const eleven = modelNamed("music:elevenlabs");
    expect(labels(draftOn(eleven), "ru")).toContain("Длина: 2\u00a0мин");
    const view = { kind: "parameter", name: "duration_sec" } as const;
    const offered = labels(draftOn(eleven, { view }), "ru").map((label) => label.replace("\u00a0", " "));
    expect(offered.slice(0, 6)).toEqual(["30 с", "1 мин", "• 2 мин", "3 мин", "4 мин", "6 мин"]);
    const odd = { ...draftOn(eleven).parameters, duration_sec: 150 };
    expect(labels(draftOn(eleven, { parameters: odd }), "ru")).toContain("Длина: 2:30");
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

  test("a card mentions the preview renderer once", () => {
    const shown = cardOf(draftOn(nano), [{ ...nano, isPreview: true }], "ru").text;
    expect(shown.match(/\(демо\)/g)).toHaveLength(1);
  });
});

test("a rare setting appears on the card only when it differs from its default", () => {
  const suno = modelNamed("music:suno-v5");
  const plain = draftOn(suno, { text: "a slow song" });
  expect(cardOf(plain, modelsOf("music")).text).not.toContain("⚙️");
  const titled = { ...plain, parameters: { ...plain.parameters, title: "Night <train>" } };
  expect(cardOf(titled, modelsOf("music")).text).toContain("⚙️ Title: Night &lt;train&gt;");
});
