import { expect, test } from "vitest";
import type { Order } from "../../../src/bot/orders/order.js";
import { summaryText } from "../../../src/bot/orders/summary.js";
import type { Job } from "../../../src/contract/job.js";
import { texts } from "../../support/drafts.js";

const order = { request: { type: "image", model_key: "nano-banana-2", prompt: "a fox" } } as unknown as Order;

function failed(refunded: boolean | undefined): Job {
  const outcome = { status: "error", cost_rub: 12.5, failure: "timeout", result: null };
  return { job_id: 1, type: "image", ...outcome, ...(refunded === undefined ? {} : { refunded }) } as Job;
}

const words = (jobs: readonly Job[]) =>
  summaryText({ order, jobs, sent: 0, unsent: [], language: texts.in("en"), supportContact: undefined });

test.each([
  ["came back", true],
  ["came back, where the core does not say", undefined],
])("that the money %s is said", (_what, refunded) => {
  expect(words([failed(refunded)])).toContain("12.50 ₽ came back to your balance.");
});

test("that the money does not come back is said as well, with its sum", () => {
  const text = words([failed(false), failed(false), failed(true)]);
  expect(text).toContain("12.50 ₽ came back to your balance.");
  expect(text).toContain("This was charged all the same: 25 ₽.");
});
