import { expect, test } from "vitest";
import { summaryText, undeliverableText } from "../../../../src/bot/orders/delivery/deliver.js";
import {
  requestBytesMaxOf,
  type UndeliverableFile,
} from "../../../../src/bot/orders/delivery/outgoing-file.js";
import type { Order } from "../../../../src/bot/orders/order.js";
import { lostJob } from "../../../../src/client/remote-jobs.js";
import { asKopecks } from "../../../../src/contract/price.js";
import type { GatewayJob, Refund } from "../../../../src/ports/gateway.js";
import { texts } from "../../../support/drafts.js";

const order = { request: { type: "image", model_key: "nano-banana-2", prompt: "a fox" } } as unknown as Order;

function failed(refund?: Refund): GatewayJob {
  const outcome = { status: "error", cost_rub: 12.5, failure: "timeout", result: null };
  return { job_id: 1, type: "image", ...outcome, ...(refund && { refund }) } as GatewayJob;
}

const words = (jobs: readonly GatewayJob[]) =>
  summaryText({
    order,
    jobs,
    sent: 0,
    undeliverable: [],
    lostRefundKopecks: asKopecks(0),
    balanceKopecks: undefined,
    language: texts.in("en"),
    supportContact: undefined,
    requestBytesMax: requestBytesMaxOf({ isLocal: false }),
  });

test("that the money came back is said where the core says so", () => {
  expect(words([failed("made")])).toContain("<b>Your money is back:</b> 12.50\u00a0₽.");
});

test.each<[string, Refund | undefined]>([
  ["does not know", "unknown"],
  ["says nothing", undefined],
])("nothing is promised of money of which the core %s", (_what, refund) => {
  const text = words([failed(refund)]);
  expect(text).toContain("whether 12.50\u00a0₽ came back. Please check your balance.");
  expect(text).not.toContain("money is back");
});

test("of a job that the service no longer knows it is said what it cost, and that its money is in doubt", () => {
  const text = summaryText({
    order: { ...order, quotedKopecks: asKopecks(2500) },
    jobs: [lostJob(1), failed("made")],
    sent: 0,
    undeliverable: [],
    lostRefundKopecks: asKopecks(0),
    balanceKopecks: undefined,
    language: texts.in("en"),
    supportContact: undefined,
    requestBytesMax: requestBytesMaxOf({ isLocal: false }),
  });
  expect(text).toContain("no longer knows this order");
  expect(text).toContain("whether 12.50\u00a0₽ came back. Please check your balance.");
});

test("that the money does not come back is said as well, with its sum", () => {
  const text = words([failed("kept"), failed("kept"), failed("made")]);
  expect(text).toContain("<b>Your money is back:</b> 12.50\u00a0₽.");
  expect(text).toContain("This was charged all the same: 25\u00a0₽.");
});

const language = texts.in("en");
const done = { status: "done", cost_rub: 10 } as GatewayJob;
const late: GatewayJob = { status: "error", cost_rub: 10, failure: "timeout", refund: "made" } as GatewayJob;
const kept: GatewayJob = { ...late, refund: "kept" };
const gone: UndeliverableFile = { index: 1, track: 0, reason: "gone", size: 0, link: undefined };

function linesOf(
  jobs: readonly GatewayJob[],
  sent: number,
  undeliverable: readonly UndeliverableFile[] = [],
): string[] | undefined {
  const facts = {
    order,
    jobs,
    sent,
    undeliverable,
    lostRefundKopecks: asKopecks(0),
    balanceKopecks: undefined,
    language,
    supportContact: undefined,
    requestBytesMax: requestBytesMaxOf({ isLocal: false }),
  };
  return summaryText(facts)?.split("\n");
}

const reason = language.t("failure-timeout", { type: "image" });
const isReady = (ready: number, count: number) =>
  language.t(ready === count ? "summary-ready" : "summary-some", { type: "image", ready, count });
const isKept = language.t("failed-kept", { sum: "10\u00a0₽" });
const isBack = (refund: string) => language.t("failed-refund", { refund });
const ofPicture = (number: number) => language.t("failed-one", { type: "image", number, reason });

test.each<[string, GatewayJob[], number, string[]]>([
  ["the second of three", [done, late, done], 2, [isReady(2, 3), ofPicture(2), isBack("10\u00a0₽")]],
  ["two of three", [late, done, late], 1, [isReady(1, 3), ofPicture(1), ofPicture(3), isBack("20\u00a0₽")]],
  [
    "two, one of them paid back",
    [late, kept, done],
    1,
    [isReady(1, 3), ofPicture(1), ofPicture(2), isBack("10\u00a0₽"), isKept],
  ],
  ["the only one", [late], 0, [reason, isBack("10\u00a0₽")]],
  ["the only one, and is not paid back", [kept], 0, [reason, isKept]],
])("what failed is named with what came back: %s", (_which, jobs, sent, lines) => {
  expect(linesOf(jobs, sent)).toEqual(lines);
});

test("what could not be sent is not counted as ready", () => {
  const line = language.t("result-gone", { type: "image", number: 2 });
  expect(linesOf([done, done], 1, [gone])).toEqual([isReady(1, 2), line]);
});

test("one file that says it all needs no more words, several do", () => {
  expect(linesOf([done], 1)).toBeUndefined();
  expect(linesOf([done, done], 2)).toEqual([isReady(2, 2)]);
});

test.each([
  [undefined, "Try other words."],
  [["https://example.com/a.png"], "Try other words or another photo."],
])("a refusal of a request with the photos %j advises what can be changed", (reference_urls, advice) => {
  const text = summaryText({
    order: { ...order, request: { ...order.request, ...(reference_urls && { reference_urls }) } },
    jobs: [{ ...failed("made"), failure: "refused" }],
    sent: 0,
    undeliverable: [],
    lostRefundKopecks: asKopecks(0),
    balanceKopecks: undefined,
    language: texts.in("en"),
    supportContact: undefined,
    requestBytesMax: requestBytesMaxOf({ isLocal: false }),
  });
  expect(text?.split("\n")[0]?.endsWith(`this request. ${advice}`)).toBe(true);
});

test.each([
  ["en", "rules don’t allow this request", "<b>Your money is back:</b> 12.50"],
  ["ru", "не разрешают такой запрос", "<b>Деньги вернулись:</b> 12,50"],
] as const)("a refusal by the rules is told as one, with its refund (%s)", (locale, reason, refund) => {
  const text = summaryText({
    order,
    jobs: [{ ...failed("made"), failure: "refused" }],
    sent: 0,
    undeliverable: [],
    lostRefundKopecks: asKopecks(0),
    balanceKopecks: undefined,
    language: texts.in(locale),
    supportContact: undefined,
    requestBytesMax: requestBytesMaxOf({ isLocal: false }),
  });
  expect(text).toContain(reason);
  expect(text).toContain(refund);
});

test.each([
  ["told after what came back", asKopecks(290_00), "Balance: 290\u00a0₽"],
  ["not told where it cannot be read", undefined, isBack("12.50\u00a0₽")],
])("the balance is %s", (_which, balanceKopecks, last) => {
  const jobs = [failed("made")];
  const none = {
    undeliverable: [],
    lostRefundKopecks: asKopecks(0),
    supportContact: undefined,
    requestBytesMax: requestBytesMaxOf({ isLocal: false }),
  };
  const text = summaryText({
    order,
    jobs,
    sent: 0,
    ...none,
    balanceKopecks,
    language,
  });
  expect(text?.split("\n").at(-1)).toBe(last);
});

test.each([
  ["en", "image", 4, "✅ 4 images"],
  ["ru", "image", 2, "✅ 2 картинки"],
  ["ru", "image", 5, "✅ 5 картинок"],
  ["ru", "music", 2, "✅ 2 трека"],
] as const)("several results are counted once (%s, %s, %i)", (locale, type, ready, words) => {
  expect(texts.in(locale).t("summary-ready", { type, ready, count: ready })).toBe(words);
});

test.each([
  [false, "48"],
  [true, "1,999"],
])("a file that is too large is told with the limit, with a server of one's own: %s", (isLocal, max) => {
  const told = [3000 * 1024 * 1024, 0].map((size) =>
    undeliverableText(
      { ...gone, reason: "too_large", size },
      { order, language, supportContact: undefined, requestBytesMax: requestBytesMaxOf({ isLocal }) },
    ),
  );
  expect(told.map((text) => text.includes(` ${max}\u00a0MB`))).toEqual([true, true]);
});
