import { expect, test } from "vitest";
import { callbackUrl, idleServices } from "../src/build-service.js";
import { loadCatalogue } from "../src/catalogue/catalogue.js";
import { UPSTREAM_SERVICES } from "../src/config.js";
import { ADAPTERS } from "../src/providers/adapters.js";

test("every service that PROVIDERS may name has an adapter", () => {
  const adapters = ADAPTERS.map(({ name }) => name);
  expect(adapters).toEqual(expect.arrayContaining(Object.keys(UPSTREAM_SERVICES)));
});

test("a service whose models are all switched off is named", () => {
  const catalogue = loadCatalogue("data/catalogue.json");
  expect(idleServices(catalogue, ["fal", "comfyui", "ace_step"])).toEqual(["ace_step"]);
});

test.each([
  ["https://atelier.example.com", "https://atelier.example.com/hooks/kie"],
  ["https://a.example.com/atelier", "https://a.example.com/atelier/hooks/kie"],
  ["http://atelier.example.com", undefined],
  ["http://127.0.0.1:8080", undefined],
  ["https://10.0.0.1", undefined],
])("with PUBLIC_URL=%s a service is told to call %s", (publicUrl, expected) => {
  expect(callbackUrl(publicUrl, "kie")).toBe(expected);
});
