import { expect, test } from "vitest";
import type { Model } from "../../../src/contract/model.js";
import { readModels } from "../../../src/generation-api/answers.js";
import { catalogue, IMAGE } from "../../support/core.js";
import { paused, UP } from "../../support/provider-states.js";
import { catalogueWith, serviceMapping } from "../../support/service-mappings.js";
import { createStubService } from "../../support/stub-provider.js";
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

test("GET /models names the model that took the place of another, and a client reads it", async () => {
  const successors = (models: readonly Model[]) =>
    models.flatMap(({ model_key, successor }) => (successor ? [[model_key, successor]] : []));
  const models = await listed();
  expect(successors(models)).toEqual([
    ["music:suno-v5", "music:suno-v6"],
    ["music:suno-v4-5", "music:suno-v6"],
  ]);
  expect(successors(readModels({ models }).models)).toEqual(successors(models));
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

test("GET /models and /docs follow the services that are paused, without a restart", async () => {
  const service = createStubService("a");
  const offered = catalogueWith({ [IMAGE.model_key]: { a: [serviceMapping()] } });
  const { get, url } = await startApi({ providers: [service], catalogue: offered });
  const keys = async () =>
    ((await get("/models")).body.models as { model_key: string }[]).map(({ model_key }) => model_key);
  const docs = async () => (await fetch(`${url}/docs`)).text();
  expect(await keys()).toEqual([IMAGE.model_key]);
  expect(await docs()).toContain(`\`${IMAGE.model_key}\`: `);
  service.state = paused("key_refused");
  expect(await keys()).toEqual([]);
  expect(await docs()).not.toContain(`\`${IMAGE.model_key}\`: `);
  service.state = UP;
  expect(await keys()).toEqual([IMAGE.model_key]);
});
