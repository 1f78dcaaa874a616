import { describe, expect, test } from "vitest";
import type { Catalogue, CatalogueSource } from "../../../../src/catalogue/catalogue.js";
import { coverageOf, OfferedCatalogue } from "../../../../src/catalogue/offered-catalogue.js";
import { IMAGE, MUSIC } from "../../../support/core.js";
import { paused, throttled, UNREACHABLE, UP } from "../../../support/provider-states.js";
import { catalogueWith, serviceMapping } from "../../../support/service-mappings.js";
import { createStubProvider, createStubService } from "../../../support/stub-provider.js";

const OTHER = "z-image-turbo";
const catalogue = catalogueWith({
  [IMAGE.model_key]: { a: [serviceMapping({ substitute: "Nano Banana 2" })], b: [serviceMapping()] },
  [OTHER]: { b: [serviceMapping()] },
});

function fixed(one: Catalogue): CatalogueSource {
  return { current: () => one };
}

function listed(...names: string[]) {
  return names.map((name) => (name === "local" ? createStubProvider() : createStubService(name)));
}

/** The services a and b, and the catalogue as they serve it. */
function listedPair(source = catalogue) {
  const a = createStubService("a");
  const b = createStubService("b");
  return { a, b, served: new OfferedCatalogue(fixed(source), [a, b]) };
}

function titles(served: OfferedCatalogue): Record<string, string> {
  return Object.fromEntries(served.current.models.map(({ model_key, title }) => [model_key, title]));
}

describe("the served catalogue", () => {
  test("has the models that a listed service makes, with the title of what it makes", () => {
    expect(titles(new OfferedCatalogue(fixed(catalogue), listed("b")))).toEqual({
      [IMAGE.model_key]: "Nano Banana 2.1",
      [OTHER]: "Z-Image Turbo",
    });
    expect(titles(new OfferedCatalogue(fixed(catalogue), listed("a", "b")))).toMatchObject({
      [IMAGE.model_key]: "Nano Banana 2",
    });
    expect(titles(new OfferedCatalogue(fixed(catalogue), listed("c")))).toEqual({});
  });

  test("shows what any of the services takes, not the preferred one alone", () => {
    const of = (format: string) => [serviceMapping({ when: { aspect_ratio: [format] } })];
    const source = catalogueWith({ [IMAGE.model_key]: { a: of("1:1"), b: of("16:9") } });
    const valuesOf = (...names: string[]) => {
      const { models } = new OfferedCatalogue(fixed(source), listed(...names)).current;
      return models[0]?.parameters.aspect_ratio?.values?.toSorted();
    };
    expect(valuesOf("a")).toEqual(["1:1"]);
    expect(valuesOf("a", "b")).toEqual(["16:9", "1:1"]);
  });

  test("marks the models of the renderer, and no other", () => {
    const { models } = new OfferedCatalogue(fixed(catalogue), listed("local", "b")).current;
    expect(models).toHaveLength(19);
    const real = models.filter(({ isPreview }) => !isPreview).map(({ model_key }) => model_key);
    expect(real).toEqual([IMAGE.model_key, OTHER]);
    expect(models.find(({ model_key }) => model_key === MUSIC.model_key)?.isPreview).toBe(true);
  });

  test("is the same object until a pause begins or ends", () => {
    const { a, b, served } = listedPair();
    const before = served.current;
    expect(served.current).toBe(before);
    b.state = paused("no_credit");
    expect(Object.keys(titles(served))).toEqual([IMAGE.model_key]);
    b.state = paused("locked");
    const without = served.current;
    expect(served.current).toBe(without);
    a.state = paused("key_refused");
    expect(titles(served)).toEqual({});
    expect(served.current.defaultOf("image")?.status).toBe("disabled");
    a.state = UP;
    b.state = UP;
    expect(titles(served)).toMatchObject({ [IMAGE.model_key]: "Nano Banana 2" });
  });

  test("leaves out what is unreachable or throttled, unless the next job is to try it", () => {
    const { a, b, served } = listedPair();
    a.state = UNREACHABLE;
    b.state = throttled();
    expect(titles(served)).toEqual({});
    b.state = throttled(true);
    expect(Object.keys(titles(served))).toContain(OTHER);
  });
});

test("a service tells how many models it makes, and which of them nobody takes jobs for", () => {
  const { a, b } = listedPair();
  const made = catalogueWith({
    [IMAGE.model_key]: { a: [serviceMapping()], b: [serviceMapping()] },
    [OTHER]: { a: [serviceMapping()] },
  });
  const coverage = (name: string) => coverageOf(made, [a, b], name);
  expect(coverage("a")).toEqual({ count: 2, off: 0 });
  a.state = paused("no_credit");
  expect(coverage("a")).toEqual({ count: 2, off: 1 });
  b.state = UNREACHABLE;
  expect(coverage("a")).toEqual({ count: 2, off: 2 });
  expect(coverage("b")).toEqual({ count: 1, off: 1 });
});
