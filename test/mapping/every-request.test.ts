import { describe, expect, it } from "vitest";
import { loadCatalogue } from "../../src/catalogue/catalogue.js";
import type { Json } from "../../src/catalogue/json.js";
import type { Mapping } from "../../src/catalogue/mapping.js";
import { mappingFor, operationOf } from "../../src/catalogue/operation.js";
import { sampleRequests } from "../../src/catalogue/sample-requests.js";
import type { Model } from "../../src/contract/model.js";
import { readRequest } from "../../src/jobs/read-request.js";
import fc from "../support/fast-check.js";
import { bodies, CONTEXT, requestOf, wholeCatalogue } from "./mappings.js";

const catalogue = wholeCatalogue();
const { entries } = catalogue;
const mappingd = entries.flatMap((entry) =>
  Object.entries(entry.mappings).map(([service, mappings]) => ({ entry, service, mappings })),
);
const byName = mappingd.map((each) => [`${each.entry.model_key} at ${each.service}`, each] as const);

function textsOf(json: Json): string[] {
  if (typeof json === "string") return [json];
  return typeof json === "object" && json !== null ? Object.values(json).flatMap(textsOf) : [];
}

describe("any request is mapped whole or refused by the name of one of its fields", () => {
  it.each(byName)("%s", (_, { entry, mappings }) => {
    fc.assert(
      fc.property(bodies(entry), (body) => {
        const request = requestOf(body, catalogue);
        fc.pre(request !== undefined);
        if (request === undefined) return;
        const found = mappingFor(mappings, request);
        if ("refusedField" in found) {
          expect(Object.keys(entry.model.parameters)).toContain(found.refusedField);
          return;
        }
        const operation = operationOf(found.mapping, request, CONTEXT);
        if ("refusedField" in operation) throw new Error(`refused late: ${operation.refusedField}`);
        expect(JSON.parse(JSON.stringify(operation))).toEqual(operation);
        const sent = textsOf(operation.input).join("\n");
        for (const name of ["prompt", "start_frame_url", "end_frame_url"]) {
          const text = request[name];
          if (typeof text === "string") expect(sent).toContain(text);
        }
        for (const link of Array.isArray(request.reference_urls) ? request.reference_urls : []) {
          expect(sent).toContain(link);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe("every combination of discrete parameters is mapped or refused by name, and takes every mapping", () => {
  it.each(byName)("%s", (_, { entry, mappings }) => {
    const names = Object.keys(entry.model.parameters);
    const taken = new Set<Mapping>();
    for (const request of sampleRequests(entry.model)) {
      const found = mappingFor(mappings, request);
      if ("refusedField" in found) {
        expect(names).toContain(found.refusedField);
        continue;
      }
      taken.add(found.mapping);
      expect(operationOf(found.mapping, request, CONTEXT)).not.toHaveProperty("refusedField");
    }
    expect(mappings.filter((mapping) => !taken.has(mapping)).map(({ endpoint }) => endpoint)).toEqual([]);
  });
});

it("quality mode is made by another model than fast mode, at every service without modes of its own", () => {
  for (const { entry, service, mappings } of mappingd.filter((one) => one.service !== "generation_api"))
    for (const request of sampleRequests(entry.model).filter((one) => one.generation_mode === "quality")) {
      const [quality, fast] = ["quality", "fast"].map((generation_mode) => {
        const found = mappingFor(mappings, { ...request, generation_mode });
        return "mapping" in found ? found.mapping.endpoint : generation_mode;
      });
      expect(quality, service).not.toBe(fast);
    }
});

describe("fal, kie and polza together", () => {
  const defaults = ({ type, model_key, parameters }: Model): unknown => ({
    type,
    model_key,
    prompt: "a fox",
    description: "a quiet song",
    ...(parameters.start_frame_url?.required && { start_frame_url: "https://files.test/1.png" }),
  });

  const { models } = loadCatalogue("data/catalogue.json");
  it.each(models.map((model) => [model.model_key, model] as const))(
    "make %s as it is by default",
    (key, model) => {
      const { entry, request } = readRequest(defaults(model), catalogue);
      const found = ["fal", "kie", "polza"].map((service) =>
        mappingFor(entry.mappings[service] ?? [], request),
      );
      expect(
        found.some((result) => "mapping" in result),
        key,
      ).toBe(true);
    },
  );
});
