import { expect, test } from "vitest";
import { catalogueFiles, joinedCatalogue } from "../../../src/catalogue/catalogue.js";

const model = (model_key: string, title: string) => ({ model_key, title });

test("a later catalogue adds models, services, rates and styles, and replaces those of the same names", () => {
  const first = {
    style_presets: ["pop"],
    services: { fal: 1, kie: 1 },
    rates: { USD: 90 },
    rates_at: "2026-11-01",
    models: [model("a", "A"), model("b", "B")],
  };
  const next = {
    style_presets: ["pop", "rock"],
    services: { kie: 2 },
    rates: { EUR: 100 },
    models: [model("c", "C"), model("a", "mine")],
  };
  expect(joinedCatalogue([first, next])).toEqual({
    style_presets: ["pop", "rock"],
    services: { fal: 1, kie: 2 },
    rates: { USD: 90, EUR: 100 },
    rates_at: "2026-11-01",
    models: [model("a", "mine"), model("b", "B"), model("c", "C")],
  });
  expect(joinedCatalogue([first, { models: [] }])).toEqual(first);
});

test("what is no catalogue is left for the schema to refuse, wherever it stands", () => {
  expect(joinedCatalogue([[], { models: [] }])).toEqual([]);
  expect(joinedCatalogue([{ models: [] }, null, { models: [] }])).toBeNull();
  expect(joinedCatalogue([{ models: [] }, { models: "none" }])).toEqual({ models: "none" });
});

test("names are separated by commas, and there is at least one", () => {
  expect(catalogueFiles("a.json, b.json,")).toEqual(["a.json", "b.json"]);
  expect(catalogueFiles(",")).toEqual([","]);
});
