import { expect, test } from "vitest";
import type { Model } from "../../../src/contract/model.js";
import { catalogue } from "../../support/core.js";
import { startApi } from "./api.js";

async function listed(): Promise<readonly Model[]> {
  const api = await startApi();
  const { body } = await api.get("/models");
  return body.models as readonly Model[];
}

test("GET /models says in the title that a model is a local preview", async () => {
  const models = await listed();
  expect(models.map(({ title }) => title)).toEqual(
    catalogue.models.map(({ title }) => `${title} (local preview)`),
  );
  expect(models.some((model) => "isPreview" in model)).toBe(false);
});

test("GET /models returns the factors of sound and fast mode as numbers, and only existing ones", async () => {
  const factors = (await listed()).flatMap(({ model_key, price_factors }) =>
    price_factors ? [[model_key, price_factors]] : [],
  );
  expect(Object.fromEntries(factors)).toEqual({
    "veo-3-1": { sound: 1.5, fast: 0.6 },
    "kling-4": { sound: 1.5, fast: 0.75 },
    "seedance-2-5": { sound: 1.25 },
  });
});

test("GET /models describes in one line per language what a model is good at", async () => {
  const models = await listed();
  for (const { model_key, about } of models) {
    expect(Object.keys(about ?? {}), model_key).toEqual(["en", "ru"]);
    expect(about?.en, model_key).toMatch(/^\p{Lu}[^\p{Script=Cyrillic}\n]*[^.\s]$/u);
    expect(about?.ru, model_key).toMatch(/^\p{Script=Cyrillic}[^\n]*[^.\s]$/u);
  }
  expect(new Set(models.map(({ about }) => about?.en)).size).toBe(models.length);
});
