import { expect, test } from "vitest";
import type { GenerationRequest } from "../../../src/contract/request.js";
import { readMargins } from "../../../src/jobs/margin-report.js";
import type { GenerationTask, Outcome } from "../../../src/jobs/provider.js";
import { openTestCore, type TestCore } from "../../support/core.js";
import fc from "../../support/fast-check.js";
import { catalogueWith, serviceMapping } from "../../support/service-mappings.js";
import { createStubService, makeFiles } from "../../support/stub-provider.js";

const DAY_MS = 24 * 3600 * 1000;
const MODELS = ["nano-banana-2", "nano-banana-pro", "z-image-turbo"] as const;

type Fate = "done" | "failed" | "refused" | "handed over" | "lost";

/** An order of some jobs of a model, so many days after the one before. */
interface Step {
  model: (typeof MODELS)[number];
  count: number;
  fate: Fate;
  days: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  model: fc.constantFrom(...MODELS),
  count: fc.integer({ min: 1, max: 3 }),
  fate: fc.constantFrom<Fate>("done", "failed", "refused", "handed over", "lost"),
  days: fc.integer({ min: 0, max: 2 }),
});

let world: TestCore;

/** A service that does to a job what its prompt says; `b` takes what `a` gives back. */
function service(name: "a" | "b") {
  const stub = createStubService(name);
  const run = async (task: GenerationTask): Promise<Outcome> => {
    const fate = task.request.prompt as Fate;
    if (fate === "failed") return { kind: "failed", failure: "provider", error: "No." };
    if (fate === "refused") return { kind: "failed", failure: "refused", error: "No." };
    if (fate === "handed over" && name === "a") return { kind: "declined", error: "Busy." };
    return { kind: "made", files: await makeFiles(task) };
  };
  return Object.assign(stub, { run });
}

test("the sums over models and services are what the ledger says of the jobs of the days", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      const mappings = Object.fromEntries(
        MODELS.map((model) => [model, { a: [serviceMapping()], b: [serviceMapping()] }]),
      );
      world = openTestCore({ providers: [service("a"), service("b")], catalogue: catalogueWith(mappings) });
      const ann = await world.begun(100_000_00);
      for (const [index, { model, count, fate, days }] of steps.entries()) {
        await world.clock.advance(days * DAY_MS);
        const request: GenerationRequest = { type: "image", model_key: model, prompt: fate, count };
        const { job_ids } = await world.made(ann, `${index}`, request);
        if (fate === "lost") await ann.refundLost(`${index}`, job_ids);
      }
      const [account] = world.adminService.accounts();
      const entries = world.adminService.entries(account?.id ?? 0);
      for (const days of [1, 3, undefined]) {
        const since = days === undefined ? 0 : world.clock.now() - days * DAY_MS;
        const margins = await readMargins(world.database, {}, since);
        const sumOf = (kind: string) =>
          entries
            .filter((entry) => entry.kind === kind && entry.created_at >= since)
            .reduce((sum, { amount }) => sum + Math.abs(amount), 0);
        const total = (name: "income" | "refunds") =>
          Math.round(margins.reduce((sum, margin) => sum + margin[name] * 100, 0));
        expect({ days, income: total("income"), refunds: total("refunds") }).toEqual({
          days,
          income: sumOf("charge"),
          refunds: sumOf("refund"),
        });
      }
      await world.close();
    }),
    { numRuns: 5 },
  );
});
