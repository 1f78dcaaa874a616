import { expect, test } from "vitest";
import { inMenuOrder } from "../../src/bot/command-menu.js";
import type { Feature } from "../../src/bot/feature.js";
import { createFeatures } from "../../src/bot/features.js";
import { ANN, MAX, openBotHarness } from "../support/bot-harness.js";
import { refusal } from "../support/bot-world.js";
import { texts } from "../support/drafts.js";
import { eventually } from "../support/eventually.js";
import { connectedAccounts, sharedAccount } from "../support/fake-accounts.js";
import { OFFER } from "../support/stars-offer.js";

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
  const menu = await menuOf(MAX.id);
  expect(menu.slice(0, 6)).toEqual(["start", "image", "video", "music", "balance", "topup"]);
  expect(menu.at(-1)).toBe("privacy");
  expect(menu).toContain("account");
  expect(menu).not.toContain("connect");
  const elsewhere = await menuOf(ANN.id, { accounts: connectedAccounts() });
  expect(elsewhere).toEqual(expect.arrayContaining(["connect", "disconnect", "support"]));
  expect(elsewhere.slice(0, 5)).toEqual(["start", "image", "video", "music", "balance"]);
  expect(elsewhere).not.toContain("paysupport");
});

test("a menu that Telegram refuses at the start is set once at its admin's first message, and for nobody else", async () => {
  const { parts, say, telegram } = openBotHarness();
  const chats = () => telegram.payloadsOf("setMyCommands").flatMap(({ scope }) => scope ?? []);
  telegram.refuse("setMyCommands", refusal(400, "Bad Request: chat not found"), ({ scope }) => !!scope);
  await parts.commandMenu.setAll(() => undefined);
  telegram.refuse("setMyCommands", refusal(400, "never"), () => false);
  telegram.calls.length = 0;
  for (const person of [ANN, MAX, ANN, MAX]) await say("/help", person);
  await eventually("the menu", () => chats().length > 0);
  expect(chats()).toEqual([{ type: "chat", chat_id: MAX.id }]);
});

test("a command that the order does not know keeps its place among its like", () => {
  const ordered = ["start", "image", "new", "other", "terms"];
  expect(inMenuOrder(["new", "terms", "other", "image", "start"])).toEqual(ordered);
});

function commandsOf({ commands = [], adminCommands = [], keyCommands = [] }: Feature): string[] {
  return [...commands, ...adminCommands, ...keyCommands];
}

test.each([
  ["managed", undefined],
  ["connected", connectedAccounts()],
  ["shared", sharedAccount()],
])("no command is of two features, with %s accounts", (_kind, accounts) => {
  const named = createFeatures(openBotHarness(accounts && { accounts }).parts).flatMap(commandsOf);
  expect(named).toEqual([...new Set(named)]);
});

test("every command of the menu is described in each language", () => {
  const commands = createFeatures(openBotHarness().parts).flatMap(commandsOf);
  expect(commands).toContain("help");
  for (const { has } of texts.languages)
    expect(commands.filter((command) => !has(`command-${command}`))).toEqual([]);
});
