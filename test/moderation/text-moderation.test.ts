import { expect, onTestFinished, test } from "vitest";
import { Unavailable } from "../../src/contract/errors.js";
import { flaggedBy, TextModeration } from "../../src/moderation/text-moderation.js";
import { readRules, WordList } from "../../src/moderation/word-list.js";
import { systemClock } from "../../src/platform/clock.js";
import type { Logger } from "../../src/platform/logger.js";
import { openAgent } from "../../src/platform/outgoing-agent.js";
import { startHttpServer } from "../support/http-server.js";
import { recordingLogger, silentLogger } from "../support/log.js";

const list = new WordList(readRules("r.txt", "# rules\nforbidden"));
const failing = () => Promise.reject(new Error("down"));

interface Change {
  flagsOf?: ConstructorParameters<typeof TextModeration>[3];
  isOpenWhenDown?: boolean;
  logger?: Logger;
}

function open({ flagsOf, isOpenWhenDown = true, logger = silentLogger() }: Change = {}) {
  return new TextModeration(() => list, isOpenWhenDown, logger, flagsOf);
}

test("a refusal is counted by place and judge, apart from failures, and its text is not logged", async () => {
  const { logger, lines } = recordingLogger();
  const moderation = open({
    logger,
    flagsOf: async ([text]) => (text === "flagged" ? ["violence"] : undefined),
  });
  expect(await moderation.allows(["fine"], "chat")).toBe(true);
  expect(await moderation.allows(["a FORBIDDEN secret"], "chat")).toBe(false);
  expect(await moderation.allows(["flagged"], "submit")).toBe(false);
  const [refused] = moderation.metrics();
  expect(refused?.samples.map(({ labels, value }) => [labels?.place, labels?.by, value])).toEqual([
    ["chat", "list", 1],
    ["chat", "endpoint", 0],
    ["submit", "list", 0],
    ["submit", "endpoint", 1],
  ]);
  expect(JSON.stringify(lines)).not.toContain("secret");
  expect(JSON.stringify(lines)).toContain('"line":2');
  expect(JSON.stringify(lines)).toContain('"categories":["violence"]');
});

test.each([
  [[{ flagged: false, categories: { violence: true } }], undefined],
  [[{ flagged: true }], []],
  [[{ flagged: true, categories: "all" }], []],
  [[{ flagged: false }, { flagged: true, categories: { hate: false, violence: true } }], ["violence"]],
])("an endpoint that answers %j flags by %j", async (results, flags) => {
  const { origin } = await startHttpServer((_request, response) => response.end(JSON.stringify({ results })));
  const agent = openAgent({});
  onTestFinished(() => agent.destroy());
  expect(await flaggedBy(origin, undefined, "any", agent, systemClock)(["a", "b"])).toEqual(flags);
});

test.each([
  ["open", "submit", true],
  ["open", "chat", true],
  ["closed", "chat", true],
] as const)("while the endpoint is down, `%s` lets words pass in the %s", async (how, place, passes) => {
  const moderation = open({ flagsOf: failing, isOpenWhenDown: how === "open" });
  expect(await moderation.allows(["fine"], place)).toBe(passes);
});

test("while the endpoint is down, `closed` takes no order, and the list still refuses", async () => {
  const moderation = open({ flagsOf: failing, isOpenWhenDown: false });
  await expect(moderation.allows(["fine"], "submit")).rejects.toThrow(Unavailable);
  expect(await moderation.allows(["forbidden"], "submit")).toBe(false);
});

test("a reload takes the new list, and keeps the old one where a rule is wrong, and says why", async () => {
  const lists = [new WordList(readRules("a.txt", "fox")), new WordList(readRules("a.txt", "wolf"))];
  const readList = () => {
    const list = lists.shift();
    if (!list) throw new Error("a.txt:3: a rule is wrong");
    return list;
  };
  const moderation = new TextModeration(readList, true, silentLogger());
  const judged = () => Promise.all(["a fox", "a wolf"].map((text) => moderation.allows([text], "chat")));
  expect(await judged()).toEqual([false, true]);
  expect(moderation.reload()).toBeNull();
  expect(await judged()).toEqual([true, false]);
  expect(moderation.reload()).toBe("a.txt:3: a rule is wrong");
  expect(await judged()).toEqual([true, false]);
});
