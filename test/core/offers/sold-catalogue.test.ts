import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadCatalogue } from "../../../src/catalogue/catalogue.js";
import { useCosts } from "../../../src/catalogue/costs.js";
import { offersJsonSchema, parseOffers, readOffers, soldCatalogue } from "../../../src/catalogue/offers.js";
import { priceKopecks, rublesOf } from "../../../src/contract/price.js";

const catalogue = loadCatalogue("data/catalogue.json");
const SERVICES = ["fal", "kie", "polza", "openai", "replicate"];
const EXAMPLE = "data/offers.example.json";

function sold(offers: object, providers: readonly string[] = SERVICES) {
  return soldCatalogue(catalogue, { offers: parseOffers(offers, "offers"), providers, source: "offers" });
}

function entryOf(offers: object, key: string, providers?: readonly string[]) {
  const entry = sold(offers, providers).entries.find(({ model_key }) => model_key === key);
  if (!entry) throw new Error(`no model ${key}`);
  return entry;
}

describe("offers", () => {
  test("replace price, title, words, status and order of a model, and leave the others", () => {
    const about = { en: "Fast", ru: "Быстро" };
    const models = {
      "z-image-turbo": { price_rub: { "1K": 1.5, "2K": 2 }, title: "Quick", about, order: 1 },
      "veo-3-1": { status: "disabled" },
    };
    const changed = sold({ models });
    expect(changed.models[0]).toMatchObject({
      model_key: "z-image-turbo",
      price_rub: { "1K": 1.5, "2K": 2 },
      title: "Quick",
      about,
    });
    const untouched = changed.models.slice(1);
    expect(untouched).toEqual(catalogue.models.filter(({ model_key }) => !Object.hasOwn(models, model_key)));
    expect(changed.find("video", "veo-3-1")?.status).toBe("disabled");
  });

  test("tell a factor of their own in the words of the API too", () => {
    const { model } = entryOf({ models: { "veo-3-1": { sound_factor: 2 } } }, "veo-3-1");
    expect(model.price_factors).toEqual({ sound: 2, fast: 0.6 });
    expect(model.parameters.sound?.note).toContain("multiplies the price by 2;");
  });

  test("may sell nothing but what they name", () => {
    const only = sold({ others: "disabled", models: { "z-image-turbo": {} } });
    expect(only.models.map(({ model_key }) => model_key)).toEqual(["z-image-turbo"]);
    expect(only.defaultOf("image")?.model_key).toBe("z-image-turbo");
    expect(only.defaultOf("music")?.status).toBe("disabled");
  });

  test("offer a model for which another one stands, where that one is off", () => {
    const withoutV6 = sold({ models: { "music:suno-v6": { status: "disabled" } } });
    expect(withoutV6.find("music", "suno-v5")?.model.successor).toBeUndefined();
  });

  test("make a price from cost of the dearest service of the list", () => {
    const offers = { markup: 2, models: { "nano-banana-pro": { price_rub: "from cost" } } };
    expect(entryOf(offers, "nano-banana-pro", ["kie"]).model.price_rub).toEqual({
      "1K": 17,
      "2K": 17,
      "4K": 22,
    });
    expect(entryOf(offers, "nano-banana-pro").model.price_rub).toEqual({ "1K": 27, "2K": 27, "4K": 54 });
    expect(entryOf(offers, "nano-banana-pro", ["local"]).model.price_rub).toEqual({
      "1K": 20,
      "2K": 20,
      "4K": 35,
    });
  });

  test("compute costs with their own rates", () => {
    const models = { "nano-banana-pro": { price_rub: "from cost" } };
    const offers = { markup: 1, rates: { USD: 180 }, rates_at: "2026-11-24", models };
    expect(entryOf(offers, "nano-banana-pro", ["fal"]).model.price_rub).toMatchObject({ "4K": 54 });
    expect(sold(offers)).toMatchObject({ ratesAt: "2026-11-24", rates: { USD: 180, kie_credit: 0.45 } });
  });

  test("never go below cost times the floor, in any combination of any model and service", () => {
    const floored = sold({ floor: 1.2 });
    let compared = 0;
    for (const entry of floored.entries)
      for (const { request, costs } of useCosts(entry, SERVICES, floored.rates))
        for (const { kopecks } of costs) {
          if (kopecks === undefined) continue;
          compared += 1;
          expect(priceKopecks(entry.model, request)).toBeGreaterThanOrEqual(kopecks * 1.2 - 1e-6);
        }
    expect(compared).toBeGreaterThan(1000);
  });

  test("of a floor alone change only prices below it", () => {
    const before = catalogue.find("image", "seedream-5")?.model.price_rub;
    expect(before).toEqual({ "1K": 7, "2K": 9 });
    expect(entryOf({ floor: 1.1 }, "seedream-5", ["fal"]).model.price_rub).toEqual({ "1K": 7, "2K": 14 });
    expect(entryOf({ floor: 1.1 }, "seedream-5", ["kie"]).model.price_rub).toEqual(before);
  });

  test("of the project's example sell everything above its cost", () => {
    const example = soldCatalogue(catalogue, {
      offers: readOffers(EXAMPLE),
      providers: SERVICES,
      source: EXAMPLE,
    });
    for (const entry of example.entries)
      for (const { request, costs } of useCosts(entry, SERVICES, example.rates))
        for (const { kopecks = 0 } of costs)
          expect(rublesOf(priceKopecks(entry.model, request) ?? 0)).toBeGreaterThan(rublesOf(kopecks));
  });

  test("have the JSON Schema of the program", () => {
    expect(JSON.parse(readFileSync("data/offers.schema.json", "utf8"))).toEqual(
      JSON.parse(JSON.stringify(offersJsonSchema())),
    );
  });

  test.each<[string, object, string]>([
    ["an unknown model", { models: { fox: {} } }, "offers: models.fox: the catalogue has no such model"],
    [
      "a key of objects",
      JSON.parse('{"models":{"constructor":{}}}'),
      "models.constructor: the catalogue has no such",
    ],
    [
      "a currency that nothing is paid in",
      { rates: { Usd: 95 }, rates_at: "2026-11-24" },
      "rates.Usd: the catalogue has no such currency: USD, kie_credit, RUB",
    ],
    [
      "a table of another shape",
      { models: { "veo-3-1": { price_rub: 5, status: "active" }, "seedream-5": { price_rub: { "8K": 5 } } } },
      "models.seedream-5.price_rub.1K: the price is missing",
    ],
    [
      "a factor of what a model lacks",
      { models: { "seedream-5": { sound_factor: 2 } } },
      "models.seedream-5.sound_factor: the model does not take sound",
    ],
    [
      "a markup that nobody could pay",
      {
        markup: 100,
        rates: { USD: 1_000_000 },
        rates_at: "2026-11-24",
        models: { "veo-3-1": { price_rub: "from cost" } },
      },
      "models.veo-3-1: a price would be above 1000000 RUB",
    ],
  ])("with %s are refused", (_, offers, problem) => {
    expect(() => sold(offers)).toThrow(problem);
  });
});

test.each([
  ["a control of direction", "Fine\u202eenif", /title: must be one line without/],
  ["a line break", "One\ntwo", /title: must be one line without/],
  ["a sign without width", "Ve\u200bo", /title: must be one line without/],
  ["another model's name", "SEEDREAM  5", /title: is the title of seedream-5/],
])("a title with %s is refused", (_what, title, problem) => {
  expect(() => sold({ models: { "z-image-turbo": { title } } })).toThrow(problem);
});
