import { describe, expect, it } from "vitest";
import type { Model } from "../../src/contract/model.js";
import {
  isFixedPrice,
  lowestPriceKopecks,
  priceKopecks,
  quotedPrice,
  totalKopecks,
} from "../../src/contract/price.js";
import fc from "../support/fast-check.js";

const model = (changes: Partial<Model>): Model => ({
  type: "video",
  model_key: "m",
  title: "M",
  price_rub: 1,
  defaults: {},
  parameters: {},
  ...changes,
});

const withModes = model({
  type: "image",
  price_rub: {
    fast: { text: { "1K": 6, "4K": 14.5 }, reference: { "1K": 8, "4K": 16 } },
    quality: { text: { "1K": 14, "4K": 34 }, reference: { "1K": 17, "4K": 39 } },
  },
  defaults: { generation_mode: "fast", resolution: "1K", count: 1 },
});
const film = model({
  price_rub: { "720p": { 5: 30, 10: 60 }, "1080p": { 5: 45.1, 10: 90 } },
  defaults: { resolution: "720p", duration_sec: 5, sound: false, video_speed_mode: "standard" },
  price_factors: { sound: 1.5, fast: 0.7 },
});

describe("priceKopecks", () => {
  it.each([
    [{}, 600],
    [{ resolution: "4K" }, 1450],
    [{ reference_urls: [] }, 600],
    [{ reference_urls: ["https://a.example/1.png"] }, 800],
    [{ generation_mode: "quality", resolution: "4K", reference_urls: ["https://a.example/1.png"] }, 3900],
    [{ resolution: "8K" }, undefined],
    [{ generation_mode: "__proto__" }, undefined],
  ])("of an image model with modes: %j costs %s", (settings, price) => {
    expect(priceKopecks(withModes, settings)).toBe(price);
  });

  it.each([
    [{}, 3000],
    [{ resolution: "1080p", duration_sec: 10 }, 9000],
    [{ resolution: "1080p" }, 4510],
    [{ sound: true }, 4500],
    [{ resolution: "1080p", sound: true }, 6800],
    [{ resolution: "1080p", video_speed_mode: "fast" }, 3200],
    [{ video_speed_mode: "fast", sound: true }, 3200],
    [{ duration_sec: 7 }, undefined],
  ])("of a video, both factors and then one rounding up to a ruble: %j costs %s", (settings, price) => {
    expect(priceKopecks(film, settings)).toBe(price);
  });

  it("is unknown where a factor is unknown, as in the catalogue of a remote service", () => {
    const remote = model({ price_rub: 10 });
    expect(priceKopecks(remote, { sound: true })).toBeUndefined();
    expect(priceKopecks(remote, { video_speed_mode: "fast" })).toBeUndefined();
    expect(priceKopecks(remote, { sound: false, video_speed_mode: "standard" })).toBe(1000);
  });

  it("is the exact product rounded up, for every price and every pair of factors", () => {
    const cents = fc.integer({ min: 1, max: 100_000_000 });
    const hundredths = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(cents, hundredths, hundredths, (kopecks, sound, fast) => {
        const factors = { sound: sound / 100, fast: fast / 100 };
        const video = model({ price_rub: kopecks / 100, price_factors: factors });
        const product = BigInt(kopecks) * BigInt(sound) * BigInt(fast);
        const rubles = (product + 999_999n) / 1_000_000n;
        expect(priceKopecks(video, { sound: true, video_speed_mode: "fast" })).toBe(Number(rubles) * 100);
      }),
    );
  });
});

describe("totalKopecks", () => {
  it("is the price of every image of a request, and of one job for any other type", () => {
    expect(totalKopecks(withModes, { count: 3, resolution: "4K" })).toBe(4350);
    expect(totalKopecks(withModes, {})).toBe(600);
    expect(totalKopecks(film, { count: 3 })).toBe(3000);
    expect(totalKopecks(film, { duration_sec: 7 })).toBeUndefined();
  });

  it.each([-1, 0, 0.5])(
    "is never below the price of one job, also where a remote catalogue counts %d",
    (count) => {
      expect(totalKopecks({ ...withModes, defaults: { ...withModes.defaults, count } }, {})).toBe(600);
    },
  );
});

it("lowestPriceKopecks is the lowest price of the table, with the factors that lower it", () => {
  expect(lowestPriceKopecks(withModes)).toBe(600);
  expect(lowestPriceKopecks(film)).toBe(2100);
  expect(lowestPriceKopecks(model({ price_rub: 25 }))).toBe(2500);
  expect(lowestPriceKopecks(model({ price_rub: {} }))).toBeUndefined();
});

it("isFixedPrice is true only where no setting changes the price", () => {
  expect(isFixedPrice(model({ price_rub: 25 }))).toBe(true);
  expect(isFixedPrice(model({ price_rub: { "1K": 5 } }))).toBe(true);
  expect(isFixedPrice(model({ price_rub: { "1K": 5, "2K": 7 } }))).toBe(false);
  expect(isFixedPrice(model({ price_rub: {} }))).toBe(false);
  expect(isFixedPrice(model({ price_rub: { "5": 45 }, price_factors: { fast: 0.5 } }))).toBe(false);
});

it.each([
  ["a factor", model({ price_factors: { sound: 1e300 }, defaults: { sound: true } })],
  ["a factor below zero", model({ price_factors: { sound: -1 }, defaults: { sound: true } })],
  ["a count", model({ type: "image", price_rub: 1, defaults: { count: 1e300 } })],
])("a price beyond what a sum can be is no price, whatever %s another service tells", (_what, beyond) => {
  expect(totalKopecks(beyond, {})).toBeUndefined();
  expect(quotedPrice(beyond, {})).toBeUndefined();
});

const foreign = model({ ...film, price_factors: { sound: 1.5 } });

it.each([
  [{}, { kopecks: 3000, isExact: true }],
  [{ sound: true }, { kopecks: 4500, isExact: true }],
  [{ video_speed_mode: "fast" }, { kopecks: 3000, isExact: false }],
  [
    { video_speed_mode: "fast", sound: true },
    { kopecks: 4500, isExact: false },
  ],
  [{ duration_sec: 7 }, undefined],
])("quotedPrice is exact only where each factor is told: %j", (settings, price) => {
  expect(quotedPrice(foreign, settings)).toEqual(price);
});
