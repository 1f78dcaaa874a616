import { expect, test } from "vitest";
import { inMenuOrder } from "../../src/bot/command-menu.js";
import { ADMIN_ID, ANN, openBotHarness } from "../support/bot-harness.js";
import { connectedAccounts } from "../support/fake-accounts.js";
import { OFFER } from "../support/payments.js";

type Menu = { command: string }[];

/** The menu of a person, in the order that Telegram gets. */
async function menuOf(userId: number, change: Parameters<typeof openBotHarness>[0] = {}): Promise<string[]> {
  const { parts, telegram } = openBotHarness({ stars: OFFER, ...change });
  await parts.commandMenu.setChat({ ...ANN, id: userId }, parts.texts.in("en"));
  const [{ commands } = { commands: [] }] = telegram.payloadsOf("setMyCommands").slice(-1);
  return (commands as Menu).map(({ command }) => command);
}

test("the menu begins with what people come for and ends with help and the legal texts", async () => {
  const menu = await menuOf(ANN.id);
  expect(menu.slice(0, 6)).toEqual(["start", "image", "video", "music", "balance", "topup"]);
  expect(menu.slice(-6)).toEqual(["help", "cancel", "support", "paysupport", "terms", "privacy"]);
});

test("the commands of admins stand between, and where accounts are elsewhere the rest is ordered alike", async () => {
  const menu = await menuOf(ADMIN_ID);
  expect(menu.slice(0, 6)).toEqual(["start", "image", "video", "music", "balance", "topup"]);
  expect(menu.at(-1)).toBe("privacy");
  expect(menu).toContain("account");
  const elsewhere = await menuOf(ANN.id, { accounts: connectedAccounts() });
  expect(elsewhere.slice(0, 5)).toEqual(["start", "image", "video", "music", "balance"]);
  expect(elsewhere).toContain("support");
  expect(elsewhere).not.toContain("paysupport");
});

test("a command that the order does not know keeps its place among its like", () => {
  expect(inMenuOrder(["new", "terms", "other", "image", "start"])).toEqual([
    "start",
    "image",
    "new",
    "other",
    "terms",
  ]);
});
