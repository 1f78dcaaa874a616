import { expect, it } from "vitest";
import { mappingFor } from "../../src/catalogue/operation.js";
import { mappingOf } from "../support/service-mappings.js";
import { imageRequest } from "./mappings.js";

const text = mappingOf({ endpoint: "text", when: { reference_urls: false, resolution: ["1K"] } });
const edit = mappingOf({
  endpoint: "edit",
  when: { reference_urls: true, resolution: ["1K", "2K"] },
  input: { prompt: "$prompt", images: "$reference_urls" },
  limits: { reference_urls: 1 },
});
const links = ["https://a.test/1"];

it("takes the first mapping that takes the whole request", () => {
  expect(mappingFor([text, edit], imageRequest({ resolution: "1K" }))).toMatchObject({ mapping: text });
  expect(mappingFor([text, edit], imageRequest({ resolution: "2K", reference_urls: links }))).toMatchObject({
    mapping: edit,
  });
  const later = { ...edit, endpoint: "later", limits: {} };
  const two = imageRequest({ resolution: "2K", reference_urls: [...links, ...links] });
  expect(mappingFor([text, edit, later], two)).toMatchObject({ mapping: later });
});

it("names the field that the nearest mapping does not take", () => {
  expect(mappingFor([edit, text], imageRequest({ resolution: "4K" }))).toEqual({
    refusedField: "resolution",
  });
  expect(mappingFor([text, edit], imageRequest({ resolution: "1K", sound: true }))).toEqual({
    refusedField: "sound",
  });
  const two = imageRequest({ resolution: "2K", reference_urls: [...links, ...links] });
  expect(mappingFor([text, edit], two)).toEqual({ refusedField: "reference_urls" });
});

it("names the model where the service has no mapping", () => {
  expect(mappingFor([], imageRequest())).toEqual({ refusedField: "model_key" });
});
