import { expect, test } from "vitest";
import { operatorNoticeText } from "../../../src/bot/notices/notice-text.js";
import { asKopecks } from "../../../src/contract/money.js";
import { texts } from "../../support/drafts.js";

test.each([
  ["en", "Veo 4 (demo)"],
  ["ru", "Veo 4 (демо)"],
])("a sale names a preview as people see it, in %s", (code, title) => {
  const sale = { kind: "sale", model: "Veo 4 (local preview)", origin: "bot" } as const;
  const text = operatorNoticeText({ ...sale, kopecks: asKopecks(1000) }, texts.in(code));
  expect(text).toContain(title);
  expect(text).not.toContain("local preview");
});
