import { expect, test } from "vitest";
import { type EventNotice, operatorNoticeText } from "../../../src/bot/notices/notice-text.js";
import { asKopecks } from "../../../src/contract/price.js";
import { texts } from "../../support/drafts.js";

test.each([
  ["en", "Veo 4 (demo)"],
  ["ru", "Veo 4 (демо)"],
])("a sale names a preview as people see it, in %s", (code, title) => {
  const sale = { kind: "sale", model: "Veo 4 (local preview)", origin: "bot" } as const;
  const text = operatorNoticeText({ ...sale, kopecks: asKopecks(1000) }, texts.in(code), {
    find: () => undefined,
  });
  expect(text).toContain(title);
  expect(text).not.toContain("local preview");
});

const ANN = { id: 7, name: "Ann", username: "ann", locale: "en" };
const price = { number: 2, till: "telegram_stars", price: 50, currency: "XTR", user: "7" } as const;

test.each([
  ["with a public name", ANN, "Ann (@ann, id 7)"],
  ["without one", { ...ANN, username: null }, "Ann (id 7)"],
  ["who was forgotten", undefined, "7"],
])("each notice about a person %s names them and their id", (_name, person, words) => {
  const people = { find: (id: number) => (id === 7 ? person : undefined) };
  const notices: EventNotice[] = [
    { kind: "new_person", user: "7" },
    { kind: "payment_held", ...price },
    { kind: "payment_refunded", ...price, owed: 0 },
    { kind: "payment_partly_refunded", ...price, refunded: 10, owed: 0 },
    { kind: "refund_waits", ...price },
  ];
  for (const code of ["en", "ru"])
    for (const notice of notices)
      expect(operatorNoticeText(notice, texts.in(code), people), `${code} ${notice.kind}`).toContain(words);
  const unknown = operatorNoticeText({ kind: "payment_held", ...price, user: "–" }, texts.in("en"), people);
  expect(unknown).toContain("from –.");
});

test("prices below cost are a line each, with what they bring and cost", () => {
  const losses = [
    { title: "Veo 4", service: "fal", price: 1000, cost: 1250 },
    { title: "Suno V6", service: "kie", price: 2500, cost: 3000 },
  ];
  const text = operatorNoticeText({ kind: "prices_below_cost", losses, more: 0 }, texts.in("en"), {
    find: () => undefined,
  });
  expect(text).toContain("• Veo 4, fal: 10\u00a0₽, which costs 12.50\u00a0₽\n• Suno V6, kie: 25\u00a0₽");
});
