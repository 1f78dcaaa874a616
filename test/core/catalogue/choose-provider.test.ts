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
  test("is the first listed one whose mapping takes it", () => {
    const entry = entryWith({ a: [TALL_ONLY], b: [TEXT_ONLY], c: [serviceMapping()] });
    const nameFor = (request: typeof IMAGE, listed = ["a", "b", "c"].map((name) => service(name))) => {
      const choice = chooseProvider(entry, request, listed);
      return choice && "provider" in choice ? choice.provider.name : choice;
    };
    expect(nameFor({ ...IMAGE, aspect_ratio: "9:16" })).toBe("a");
    expect(nameFor(REQUEST)).toBe("b");
    expect(nameFor({ ...REQUEST, reference_urls: ["https://a.example/1"] })).toBe("c");
    expect(nameFor(REQUEST, [service("c"), service("b")])).toBe("c");
  });

  test("is none that is paused, that declined it or that is not listed", () => {
    const entry = entryWith({ a: [serviceMapping()], b: [serviceMapping()], c: [serviceMapping()] });
    const listed = [service("a", "locked"), service("b"), service("c")];
    expect(chooseProvider(entry, REQUEST, listed)).toMatchObject({ provider: { name: "b" } });
    expect(chooseProvider(entry, REQUEST, listed, { declinedBy: ["b"] })).toMatchObject({
      provider: { name: "c" },
    });
    expect(chooseProvider(entry, REQUEST, listed, { declinedBy: ["b", "c"] })).toBeUndefined();
    expect(chooseProvider(entry, REQUEST, [])).toBeUndefined();
  });

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

  test("brings the title of the version that its mapping makes", () => {
    const old = serviceMapping({ substitute: "Nano Banana 2" });
    const entry = entryWith({ a: [serviceMapping({ ...TALL_ONLY }), old] });
    const titleFor = (aspect_ratio: string) =>
      chooseProvider(entry, { ...IMAGE, aspect_ratio }, [service("a")]) as { title: string };
    expect(titleFor("9:16").title).toBe("Nano Banana 2.1");
    expect(titleFor("1:1").title).toBe("Nano Banana 2");
  });

  test("is none that makes another title than the one that was sold", () => {
    const old = serviceMapping({ substitute: "Nano Banana 2" });
    const entry = entryWith({ a: [old], b: [serviceMapping()] });
    const listed = [service("a"), service("b")];
    const titled = (soldTitle: string) => chooseProvider(entry, REQUEST, listed, { soldTitle });
    expect(titled("Nano Banana 2")).toMatchObject({ provider: { name: "a" } });
    expect(titled("Nano Banana 2.1")).toMatchObject({ provider: { name: "b" } });
    expect(titled("Nano Banana 3")).toBeUndefined();
  });

  test("is not looked for by names that objects inherit", () => {
    expect(chooseProvider(entryWith({}), REQUEST, [service("constructor")])).toBeUndefined();
  });
});
