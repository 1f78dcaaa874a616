import { describe, expect, test } from "vitest";
import type { Mapping } from "../../../src/catalogue/mapping.js";
import { oneMapping, openCheck, quickEntries } from "./harness.js";

describe("what a stand-in publishes is what it judges by, so that its mappings are compared", () => {
  test.each([
    ["polza", "GET /api/v1/models/catalog"],
    ["fal", "GET /api/openapi/queue/openapi.json"],
    ["kie", "POST /client/v1/model-pricing/page"],
  ])("%s: every mapping is found, and none is refused", async (service, call) => {
    const { stand, check } = await openCheck();
    const { text, code } = await check(`${service} --catalogue`);
    const endpoints = quickEntries.flatMap(({ mappings }) =>
      (mappings[service] ?? []).map(({ endpoint }) => endpoint),
    );
    for (const endpoint of endpoints) expect(text).toContain(`by ${endpoint}`);
    // Prices of stand-ins are coarser than those of the services.
    expect(text).not.toMatch(/DIFFERS: (?!.*it (?:asks|lists))/);
    expect(code).toBe(text.includes("DIFFERS") ? 1 : 0);
    expect(stand.ledger).toEqual([]);
    expect(stand.breaches).toEqual([]);
    expect([...new Set(stand.calls.map(({ method, path }) => `${method} ${path}`))]).toEqual([call]);
  });
});

const SECONDS: NonNullable<Mapping["cost"]> = {
  currency: "kie_credit",
  per: "second",
  by: ["duration_sec"],
  amount: 1,
};
const RENAMED = { "16:9": "4:3", "9:16": "9:16", "1:1": "1:1" };

describe("a difference is named by mapping, with exit code 1", () => {
  test.each<[string, (mapping: Mapping) => Mapping, string]>([
    [
      "an id that is not there",
      (mapping) => ({ ...mapping, endpoint: "kling/v9" }),
      "the service does not list it",
    ],
    [
      "values that it does not take",
      ({ input, ...mapping }) => ({
        ...mapping,
        input: { ...input, aspect_ratio: { from: "aspect_ratio", map: RENAMED } },
      }),
      'aspect_ratio "4:3": Invalid option: expected one of "16:9"|"9:16"|"1:1"',
    ],
    [
      "a text that is too long",
      ({ input, limits, ...mapping }) => ({
        ...mapping,
        limits,
        input: { ...input, negative_prompt: { const: "a".repeat(2501) } },
      }),
      "negative_prompt a text of 2501 characters: Too big: expected string to have <=2500 characters",
    ],
    [
      "a required field that is never sent",
      ({ input: { prompt: _, ...input }, ...mapping }) => ({
        ...mapping,
        input,
        ignores: { prompt: "test" },
      }),
      "prompt is required there, and never sent",
    ],
    [
      "a price that moved",
      (mapping) => ({ ...mapping, cost: { currency: "RUB", per: "task", by: [], amount: 31.5 } }),
      "duration_sec 10: it asks 63 RUB, and the catalogue says 31.5 RUB",
    ],
  ])("%s", async (_name, change, said) => {
    const { stand, check } = await openCheck();
    const { text, code } = await check("polza --catalogue", { entries: oneMapping("polza", change) });
    expect(text).toContain(`DIFFERS: ${said}`);
    expect(text).toContain("Differs: 1 of 1");
    expect(code).toBe(1);
    expect(stand.ledger).toEqual([]);
  });

  test("a choice that fal drops without a word", async () => {
    const { check } = await openCheck();
    const entries = oneMapping("fal", ({ input, ...mapping }) => ({
      ...mapping,
      input: { ...input, ratio: "$aspect_ratio", extra: true },
    }));
    const { text, code } = await check("fal --catalogue", { entries });
    expect(text).toMatch(/DIFFERS: ratio is sent, and the service drops it: "16:9", .* make no difference/);
    expect(text).toContain("note: extra is sent, and the service drops it");
    expect(code).toBe(1);
  });

  test.each<[string, Mapping["cost"], string, 0 | 1]>([
    ["a price that the list has", { ...SECONDS, amount: { "5": 2.4, "10": 4.5 } }, "As expected", 0],
    [
      "a price that moved",
      { ...SECONDS, amount: { "5": 1.6, "10": 4.5 } },
      "DIFFERS: duration_sec 5: it asks 2.4, 4.5 kie_credit by second, and the catalogue says 8 kie_credit",
      1,
    ],
    [
      "that price in another unit",
      { ...SECONDS, per: "task", amount: { "5": 12, "10": 45 } },
      "As expected",
      0,
    ],
    ["no cost", undefined, "note: it asks 2.4, 4.5 kie_credit by second, and the mapping tells no cost", 0],
  ])("kie: %s", async (_name, cost, said, exitCode) => {
    const { stand, check } = await openCheck();
    const endpoint = "grok-imagine-video-1-5-preview";
    const entries = oneMapping("kie", (mapping) => ({ ...mapping, endpoint, ...(cost && { cost }) }));
    const { text, code } = await check("kie --catalogue", { entries });
    expect(text).toContain(said);
    expect(code).toBe(exitCode);
    expect(stand.breaches).toEqual([]);
  });

  test("a price that the mapping does not tell, and a field that polza does not name, are notes", async () => {
    const { check } = await openCheck();
    const change = ({ cost: _, input, ...mapping }: Mapping): Mapping => ({
      ...mapping,
      input: { ...input, extra: true },
    });
    const { text, code } = await check("polza --catalogue", { entries: oneMapping("polza", change) });
    expect(text).toContain("note: it asks 31.5, 63 RUB, and the mapping tells no cost");
    expect(text).toContain("note: extra is sent, and the service does not name it");
    expect(code).toBe(0);
  });
});

describe("what cannot be compared is one line with exit code 1, and nothing is asked", () => {
  test.each([
    ["openai --catalogue", "openai publishes no catalogue without a key; fal, kie, polza do"],
    ["nobody --catalogue", "no service nobody; known are "],
    ["polza grok-imagine --catalogue", "--catalogue compares all mappings of polza: name no model"],
  ])("%s", async (line, said) => {
    const { stand, check } = await openCheck();
    const { text, code } = await check(line);
    expect(text).toContain(said);
    expect(text.split("\n")).toHaveLength(1);
    expect(code).toBe(1);
    expect(stand.calls).toEqual([]);
  });
});
