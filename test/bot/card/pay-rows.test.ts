import { expect, test } from "vitest";
import type { Draft } from "../../../src/bot/card/draft-store.js";
import { type CardMessage, renderCard } from "../../../src/bot/card/render-card.js";
import { TopUps } from "../../../src/bot/payments/top-ups.js";
import { asKopecks } from "../../../src/contract/price.js";
import type { Till } from "../../../src/tills/till.js";
import { draftOn, modelNamed, modelsOf, texts } from "../../support/drafts.js";

const kling = modelNamed("kling-4");

function poor(balanceKopecks: number, change: Partial<Draft> = {}, supportContact?: string): CardMessage {
  const parameters = { ...draftOn(kling).parameters, resolution: "1080p", duration_sec: 10 };
  return renderCard(draftOn(kling, { text: "лиса в снегу", parameters, ...change }), {
    models: modelsOf("video"),
    allModels: [],
    balanceKopecks: asKopecks(balanceKopecks),
    language: texts.in("ru"),
    supportContact,
    isGroup: false,
    ownerName: "Ann",
  });
}

function labels({ keyboard }: CardMessage): string[] {
  return keyboard.inline_keyboard.flat().map(({ text }) => text.replaceAll("\u00a0", " "));
}

test("a card that the balance does not pay offers what it pays, and whom to ask", () => {
  const card = poor(200_00, {}, "@olga");
  expect(labels(card).filter((label) => label.startsWith("✅"))).toEqual([]);
  expect(labels(card).slice(-4)).toEqual([
    "Дешевле: 720p · 190 ₽",
    "Дешевле: 5 с · 140 ₽",
    "💬 @olga",
    "🔄 Обновить",
  ]);
  expect(card.keyboard.inline_keyboard.flat()).toContainEqual({ text: "💬 @olga", url: "https://t.me/olga" });
  expect(card.text.replaceAll("\u00a0", " ")).toContain("Цена: <b>280 ₽</b> · Баланс: 200 ₽");
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
  expect(labels(card(10_00))).toEqual([
    "🎨 Модель",
    "✖️ Отмена",
    "💳 Пополнить на 50 ₽, меньше нельзя",
    "➕ Другая сумма",
    "🔄 Обновить",
    "Дешевле: 1 картинка · 10 ₽",
  ]);
  expect(labels(card(20_00))).toContain("Картинок: 2");
  expect(labels(card(10_00, true))).toEqual(["🎨 Модель", "✖️ Отмена", "➕ Пополнить", "🔄 Обновить"]);
});

test("it offers nothing cheaper where nothing is, and a contact only where a link leads to one", () => {
  expect(labels(poor(0, {}, "ask the office")).slice(-2)).toEqual(["✖️ Отмена", "🔄 Обновить"]);
  const linked = labels(poor(0, {}, "https://help.example/chat"));
  expect(linked.slice(-2)).toEqual(["💬 help.example/chat", "🔄 Обновить"]);
});

test("with enough money it can be paid", () => {
  expect(labels(poor(280_00)).at(-1)).toBe("✅ Создать · 280 ₽");
});
