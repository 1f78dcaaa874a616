import { expect, test } from "vitest";
import { captionOf, summaryText, undeliverableText } from "../../../../src/bot/orders/delivery/deliver.js";
import {
  requestBytesMaxOf,
  type UndeliverableFile,
} from "../../../../src/bot/orders/delivery/outgoing-file.js";
import type { Order } from "../../../../src/bot/orders/order.js";
import { lostJob } from "../../../../src/client/remote-jobs.js";
import { asKopecks } from "../../../../src/contract/price.js";
import type { GenerationRequest } from "../../../../src/contract/request.js";
import type { GatewayJob, Refund } from "../../../../src/ports/gateway.js";
import { texts } from "../../../support/drafts.js";

const order = { request: { type: "image", model_key: "nano-banana-2", prompt: "a fox" } } as unknown as Order;
const language = texts.in("en");

/** What is said of the jobs of an order. */
function told(
  jobs: readonly GatewayJob[],
  change: Partial<Parameters<typeof summaryText>[0]> = {},
): string | undefined {
  return summaryText({
    order,
    jobs,
    sent: 0,
    undeliverable: [],
    lostRefundKopecks: asKopecks(0),
    balance: undefined,
    language,
    supportContact: undefined,
    requestBytesMax: requestBytesMaxOf({ isLocal: false }),
    ...change,
  });
}

function failed(refund?: Refund, failure: GatewayJob["failure"] = "timeout"): GatewayJob {
  const outcome = { status: "error", cost_rub: 12.5, failure, result: null };
  return { job_id: 1, type: "image", ...outcome, ...(refund && { refund }) } as GatewayJob;
}

const done = { status: "done", cost_rub: 10 } as GatewayJob;
const gone: UndeliverableFile = { index: 1, track: 0, reason: "gone", size: 0, link: undefined };

test.each<[string, Refund | undefined]>([
  ["does not know", "unknown"],
  ["says nothing", undefined],
])("nothing is promised of money of which the core %s", (_what, refund) => {
  const text = told([failed(refund)]);
  expect(text).toContain("whether 12.50\u00a0₽ came back. Please check your balance.");
  expect(text).not.toContain("money is back");
});

test("a failure without a reason is told as the service's", () => {
  const { failure: _, ...job } = failed("made");
  expect(told([job as GatewayJob])).toContain(language.t("failure-provider", { type: "image" }));
});

test("of a job that the service no longer knows it is said what it cost, and that its money is in doubt", () => {
  const text = told([lostJob(1), failed("made")], { order: { ...order, quotedKopecks: asKopecks(2500) } });
  expect(text).toContain("no longer knows this order");
  expect(text).toContain("whether 12.50\u00a0₽ came back. Please check your balance.");
});

const reason = language.t("failure-timeout", { type: "image" });
const isReady = (ready: number, count: number) =>
  language.t(ready === count ? "summary-ready" : "summary-some", { type: "image", ready, count });
const isKept = language.t("failed-kept", { sum: "12.50\u00a0₽" });
const isBack = (refund: string) => language.t("failed-refund", { refund });
const ofPicture = (number: number) => language.t("failed-one", { type: "image", number, reason });
const late = failed("made");
const kept = failed("kept");

test.each<[string, GatewayJob[], number, string[]]>([
  ["the second of three", [done, late, done], 2, [isReady(2, 3), ofPicture(2), isBack("12.50\u00a0₽")]],
  ["two of three", [late, done, late], 1, [isReady(1, 3), ofPicture(1), ofPicture(3), isBack("25\u00a0₽")]],
  [
    "two, one of them paid back",
    [late, kept, done],
    1,
    [isReady(1, 3), ofPicture(1), ofPicture(2), isBack("12.50\u00a0₽"), isKept],
  ],
  ["the only one", [late], 0, [reason, isBack("12.50\u00a0₽")]],
  ["the only one, and is not paid back", [kept], 0, [reason, isKept]],
])("what failed is named with what came back: %s", (_which, jobs, sent, lines) => {
  expect(told(jobs, { sent })?.split("\n")).toEqual(lines);
});

test("what could not be sent is not counted as ready", () => {
  const line = language.t("result-gone", { type: "image", number: 2 });
  expect(told([done, done], { sent: 1, undeliverable: [gone] })).toBe(`${isReady(1, 2)}\n${line}`);
});

test("one file that says it all needs no more words, several do", () => {
  expect(told([done], { sent: 1 })).toBeUndefined();
  expect(told([done, done], { sent: 2 })).toBe(isReady(2, 2));
});

test.each([
  [undefined, "Try other words."],
  [["https://example.com/a.png"], "Try other words or another photo."],
])("a refusal of a request with the photos %j advises what can be changed", (reference_urls, advice) => {
  const request = { ...order.request, ...(reference_urls && { reference_urls }) };
  const text = told([failed("made", "refused")], { order: { ...order, request } });
  const [refusal, money] = text?.split("\n") ?? [];
  expect(refusal?.endsWith(`rules don’t allow this request. ${advice}`)).toBe(true);
  expect(money).toBe(isBack("12.50\u00a0₽"));
});

test.each([
  [false, "48"],
  [true, "1,999"],
])("a file that is too large is told with the limit, with a server of one's own: %s", (isLocal, max) => {
  const limits = {
    order,
    language,
    supportContact: undefined,
    requestBytesMax: requestBytesMaxOf({ isLocal }),
  };
  for (const size of [3000 * 1024 * 1024, 0])
    expect(undeliverableText({ ...gone, reason: "too_large", size }, limits)).toContain(` ${max}\u00a0MB`);
});

const LYRICS = "First\n\nSecond\nThird\nFourth\nFifth";

function captionFor(request: Partial<GenerationRequest>): string {
  const order = { modelTitle: "Suno <V5>", request: { type: "music", model_key: "m", ...request } } as Order;
  return captionOf(order, [], undefined, language);
}

test.each<[string, Partial<GenerationRequest>, string]>([
  ["its title", { title: "Night", description: "a song", lyrics: LYRICS }, "Night"],
  ["its description", { title: " ", description: "a <song>", lyrics: LYRICS }, "a &lt;song&gt;"],
  ["how it begins", { lyrics: LYRICS }, "First\nSecond\nThird\nFourth…"],
  ["how it begins, cut at a comma", { lyrics: "A,\nB,\nC,\nD,\nE" }, "A,\nB,\nC,\nD…"],
  [
    "all of it, where it is short",
    { lyrics: "First\nSecond\nThird\nFourth" },
    "First\nSecond\nThird\nFourth",
  ],
  ["its prompt", { prompt: "a song" }, "a song"],
])("a song is captioned by %s", (_name, request, words) => {
  expect(captionFor(request)).toBe(`${words}\n\n<i>Suno &lt;V5&gt; · 0\u00a0₽</i>`);
});

test("in a group the caption says whose it is", () => {
  const order = {
    modelTitle: "Nano",
    userName: "Ann <3",
    chatId: -1001,
    request: { type: "image", model_key: "m" },
  };
  expect(captionOf(order as Order, [], undefined, language)).toBe("<i>Ann &lt;3 · Nano · 0\u00a0₽</i>");
});

test("a title of thousands of characters leaves room for the sums and the words", () => {
  const request = { type: "image", model_key: "m", prompt: "a fox ".repeat(400) };
  const order = { modelTitle: "T".repeat(5000), userName: "A".repeat(129), chatId: -1001, request };
  const visible = captionOf(order as Order, [], undefined, language).replace(/<[^>]+>/g, "");
  expect(visible.length).toBeLessThanOrEqual(1024);
  expect(visible).toMatch(/^a fox .*… · 0\u00a0₽$/su);
});

test.each([
  ["160 characters", "ш".repeat(160), false],
  ["161 characters", "ш".repeat(161), true],
  ["five lines", "a\nb\nc\nd\ne", true],
])("a description of %s is folded only where it is long", (_name, description, isFolded) => {
  const facts = "<i>Suno &lt;V5&gt; · 0\u00a0₽</i>";
  const expected = isFolded
    ? `<blockquote expandable>${description}</blockquote>\n${facts}`
    : `${description}\n\n${facts}`;
  expect(captionFor({ description })).toBe(expected);
});
