import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/catalogue/json.js";
import { mappingFor, operationOf } from "../../../src/catalogue/operation.js";
import { readRequest } from "../../../src/jobs/read-request.js";
import { CONTEXT, wholeCatalogue } from "../mappings.js";
import type { GoldenCase } from "./case.js";
import { FAL } from "./fal.js";
import { KIE } from "./kie.js";
import { OPENAI } from "./openai.js";
import { OWN_SOFTWARE } from "./own-software.js";
import { POLZA } from "./polza.js";
import { REPLICATE } from "./replicate.js";

const catalogue = wholeCatalogue();
const cases: readonly GoldenCase[] = [...FAL, ...KIE, ...POLZA, ...OPENAI, ...REPLICATE, ...OWN_SOFTWARE];

function operationFor({ service, body }: GoldenCase) {
  const { entry, request } = readRequest(body, catalogue);
  const found = mappingFor(entry.mappings[service] ?? [], request);
  return "mapping" in found ? operationOf(found.mapping, request, CONTEXT) : found;
}

/** Titles of nodes say nothing to a service. */
function withoutTitles(api: string | undefined, input: Readonly<Record<string, Json>>) {
  if (api !== "workflow") return input;
  return Object.fromEntries(
    Object.entries(input).map(([id, node]) => {
      const { _meta, ...rest } = Object(node) as Record<string, Json>;
      return [id, rest];
    }),
  );
}

describe("a request becomes what the service documents:", () => {
  it.each(cases.map((golden) => [`${golden.service}: ${golden.name}`, golden] as const))(
    "%s",
    (_, golden) => {
      const operation = operationFor(golden);
      if ("refusedField" in operation) throw new Error(`refused: ${operation.refusedField}`);
      const { api, endpoint, input } = operation;
      expect({ api, endpoint, input: withoutTitles(api, input) }).toEqual({
        api: golden.api,
        endpoint: golden.endpoint,
        input: golden.input,
      });
    },
  );
});

it("every model has a golden request", () => {
  const shown = new Set(cases.map(({ body }) => readRequest(body, catalogue).entry.model_key));
  expect([...shown].sort()).toEqual(catalogue.models.map(({ model_key }) => model_key).sort());
});
