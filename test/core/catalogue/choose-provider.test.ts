import { describe, expect, test } from "vitest";
import { chooseProvider, type ListedProvider, providersOf } from "../../../src/catalogue/choose-provider.js";
import type { PauseReason } from "../../../src/ports/operator-notices.js";
import { IMAGE } from "../../support/core.js";
import { paused, UP } from "../../support/provider-states.js";
import { catalogueWith, serviceMapping } from "../../support/service-mappings.js";

function service(name: string, reason?: PauseReason): ListedProvider {
  return { name, kind: "upstream", state: reason ? paused(reason) : UP };
}
const LOCAL: ListedProvider = { name: "local", kind: "renderer", isPreview: true };

function entryWith(mappings: Record<string, ReturnType<typeof serviceMapping>[]>) {
  const entry = catalogueWith({ [IMAGE.model_key]: mappings }).find("image", IMAGE.model_key);
  if (!entry) throw new Error("no such model");
  return entry;
}

const TEXT_ONLY = serviceMapping({ when: { reference_urls: false } });
const TALL_ONLY = serviceMapping({ when: { aspect_ratio: ["9:16"] } });
const REQUEST = { ...IMAGE, aspect_ratio: "1:1" };

describe("the provider of a request", () => {
  test("names the field that the first active one refuses where none takes it", () => {
    const entry = entryWith({ a: [serviceMapping()], b: [TALL_ONLY], c: [TEXT_ONLY] });
    const listed = [service("a", "no_credit"), service("b"), service("c")];
    expect(chooseProvider(entry, { ...REQUEST, reference_urls: ["https://a.example"] }, listed)).toEqual({
      refusedField: "aspect_ratio",
    });
  });

  test("is the renderer only where no listed service makes the model, even one that is paused", () => {
    const entry = entryWith({ a: [TEXT_ONLY] });
    expect(chooseProvider(entry, REQUEST, [LOCAL, service("b")])).toMatchObject({ provider: LOCAL });
    expect(chooseProvider(entry, REQUEST, [LOCAL, service("a")])).toMatchObject({ provider: { name: "a" } });
    expect(chooseProvider(entry, REQUEST, [LOCAL, service("a", "no_credit")])).toBeUndefined();
    expect(providersOf(entry, [LOCAL, service("a", "no_credit")]).map(({ name }) => name)).toEqual(["a"]);
  });

  test("is not looked for by names that objects inherit", () => {
    expect(chooseProvider(entryWith({}), REQUEST, [service("constructor")])).toBeUndefined();
  });
});
