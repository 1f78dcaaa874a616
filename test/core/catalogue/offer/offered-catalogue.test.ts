import { describe, expect, test } from "vitest";
import type { Catalogue, CatalogueSource } from "../../../../src/catalogue/catalogue.js";
import { OfferedCatalogue } from "../../../../src/catalogue/offered-catalogue.js";
import { IMAGE, MUSIC } from "../../../support/core.js";
import { paused, throttled, UNREACHABLE, UP } from "../../../support/provider-states.js";
import { catalogueWith, serviceMapping } from "../../../support/service-mappings.js";
import { createStubProvider } from "../../../support/stub-provider.js";

const OTHER = "z-image-turbo";
const catalogue = catalogueWith({
  [IMAGE.model_key]: { a: [serviceMapping({ substitute: "Nano Banana 2" })], b: [serviceMapping()] },
  [OTHER]: { b: [serviceMapping()] },
});

function fixed(one: Catalogue): CatalogueSource {
  return { current: () => one };
}

function listed(...names: string[]) {
  return names.map((name) =>
    createStubProvider(1, { name, kind: name === "local" ? "renderer" : "upstream" }),
  );
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

  test("marks the models of the renderer, and no other", () => {
    const { models } = new OfferedCatalogue(fixed(catalogue), listed("local", "b")).current;
    expect(models).toHaveLength(19);
    const real = models.filter(({ isPreview }) => !isPreview).map(({ model_key }) => model_key);
    expect(real).toEqual([IMAGE.model_key, OTHER]);
    expect(models.find(({ model_key }) => model_key === MUSIC.model_key)?.isPreview).toBe(true);
  });

  test("is the same object until a pause begins or ends", () => {
    const [a, b] = listed("a", "b");
    if (!a || !b) throw new Error("two providers");
    const served = new OfferedCatalogue(fixed(catalogue), [a, b]);
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
    const [a, b] = listed("a", "b");
    if (!a || !b) throw new Error("two providers");
    const served = new OfferedCatalogue(fixed(catalogue), [a, b]);
    a.state = UNREACHABLE;
    b.state = throttled();
    expect(titles(served)).toEqual({});
    b.state = throttled(true);
    expect(Object.keys(titles(served))).toContain(OTHER);
  });

  test("takes the first active model of a type for a default that is paused", () => {
    const [a, b] = listed("a", "b");
    if (!a || !b) throw new Error("two providers");
    const served = new OfferedCatalogue(
      fixed(
        catalogueWith({ [IMAGE.model_key]: { a: [serviceMapping()] }, [OTHER]: { b: [serviceMapping()] } }),
      ),
      [a, b],
    );
    expect(served.current.defaultOf("image")?.model_key).toBe(IMAGE.model_key);
    a.state = paused("no_credit");
    expect(served.current.defaultOf("image")?.model_key).toBe(OTHER);
  });
});
