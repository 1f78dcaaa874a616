import { expect, test } from "vitest";
import { z } from "zod";
import type { Json } from "../../../src/catalogue/json.js";
import { polzaPrices, pricing } from "../src/polza.js";

const tiers = (...given: readonly [string[] | null, string | number][]) => ({
  tiers: given.map(([conditions, cost_rub]) => ({ conditions, cost_rub })),
});
const byResolution = tiers([["image_resolution=1K"], "4.8"], [["image_resolution=4K"], "10.8"]);
const perSecond = { ...tiers([["resolution=720p"], "7.5"]), unitParam: "duration" };

test.each<[string, object, Record<string, Json>, number | undefined]>([
  ["one price", { per_request: "2.5" }, {}, 2.5],
  ["seconds of a video", { video_per_second: 3 }, { duration: "8s" }, 24],
  ["the tier of the default", byResolution, {}, 4.8],
  ["as the page spells it", { tiers: [{ conditions: ["a=1"], costRub: "8.25" }] }, { a: 1 }, 8.25],
  ["a tier by the second", perSecond, { resolution: "720p", duration: 4 }, 30],
  ["the tier that says most", tiers([null, 1], [["a=1"], 2], [["a=1", "b=2"], 3]), { a: 1, b: 2 }, 3],
  ["two tiers that contradict", tiers([["a=1"], 2], [["b=2"], 3]), { a: 1, b: 2 }, undefined],
  ["a condition of another form", tiers([["a>1"], 2], [["b=2"], 3]), { b: 2 }, undefined],
  [
    "tiers of another form",
    { per_request: 2, tiers: [{ conditions: [{ a: 1 }], costRub: 2 }] },
    {},
    undefined,
  ],
])("%s", (_name, given, input, amount) => {
  const fields = { image_resolution: { isRequired: false, fallback: "1K", schema: z.string() } };
  const told = polzaPrices(pricing.parse(given), fields)(input);
  expect(told).toEqual(amount === undefined ? [] : [{ amount, currency: "RUB", per: "task" }]);
});
