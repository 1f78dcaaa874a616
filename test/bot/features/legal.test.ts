import { expect, test } from "vitest";
import { LegalTexts, loadLegalTexts } from "../../../src/bot/texts/legal-texts.js";
import { ANN, IN_GROUP, MAX, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";
import { openPaymentsHarness, paidMessage } from "../../support/payments.js";

test.each([
  ["/terms", "Terms of use"],
  ["/privacy", "Privacy policy"],
  ["/paysupport", "Help with payments"],
  ["/support", "@help"],
])("%s is answered to everybody, also to people who are not let in", async (command, words) => {
  for (const allowedUsers of [[], [MAX.id]]) {
    const { say, said } = openBotHarness({ allowedUsers });
    await say(command);
    expect(String(said()[0])).toContain(words);
  }
});

test("/paysupport lists the newest payments in private, and none in a group", async () => {
  const { say, said, send, openInvoice } = await openPaymentsHarness();
  for (let count = 1; count <= 6; count += 1) await send(paidMessage(await openInvoice(), `c${count}`));
  await say("/paysupport");
  expect(String(said().at(-1))).toMatch(/P-6[\s\S]*P-2/);
  expect(String(said().at(-1))).not.toContain("P-1 ");
  await say("/paysupport@atelier_bot", ANN, IN_GROUP);
  expect(String(said().at(-1))).not.toContain("P-");
});

test.each(["en", "ru"])("the shipped texts in %s name the bot and whom to write to, page by page", (code) => {
  const legal = loadLegalTexts("data/terms", texts);
  for (const document of ["terms", "privacy"] as const) {
    const pages = legal.pagesOf(document, code, { contact: "@help & co", bot: "@b" });
    expect(pages.join("")).toContain("@help &amp; co");
    expect(pages.join("")).not.toMatch(/\{[A-Z_]+\}|^#/m);
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThan(4096);
  }
});

test("a changed text is another version, in its language alone", () => {
  const files = new Map(["terms.en", "privacy.en", "terms.ru", "privacy.ru"].map((name) => [name, name]));
  const [before, after] = [new LegalTexts(files), new LegalTexts(new Map([...files, ["terms.en", "new"]]))];
  expect(after.agreedIn("en")[0]).not.toEqual(before.agreedIn("en")[0]);
  expect(after.agreedIn("en")[1]).toEqual(before.agreedIn("en")[1]);
  expect(after.agreedIn("ru")).toEqual(before.agreedIn("ru"));
});

test("a long paragraph is cut between its words, and markup of a text is shown as it is", () => {
  const files = new Map([["terms.en", `# A <b>\n\n${"word ".repeat(2000)}`]]);
  const pages = new LegalTexts(files).pagesOf("terms", "en", { contact: "x", bot: "y" });
  expect(pages.length).toBeGreaterThan(1);
  expect(pages[0]).toContain("<b>A &lt;b&gt;</b>");
  expect(pages.join(" ")).not.toMatch(/wor$|^d /m);
});

test("a folder without the texts is an error that names the file", () => {
  expect(() => loadLegalTexts("data", texts)).toThrow(/terms\.en\.md/);
});
