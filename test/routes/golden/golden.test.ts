import { describe, expect, it } from "vitest";
import { loadCatalogue } from "../../../src/core/catalogue/catalogue.js";
import { readRequest } from "../../../src/core/request/read-request.js";
import { routeFor } from "../../../src/routes/choose-route.js";
import { operationOf } from "../../../src/routes/map-request.js";
import { CONTEXT } from "../routes.js";
import type { GoldenCase } from "./case.js";
import { IMAGES } from "./images.js";
import { MUSIC } from "./music.js";
import { OPENAI_REPLICATE } from "./openai-replicate.js";
import { VIDEOS } from "./videos.js";

const catalogue = loadCatalogue("data/catalogue.json");
const cases = [...IMAGES, ...VIDEOS, ...MUSIC, ...OPENAI_REPLICATE];

function operationFor({ service, body }: GoldenCase) {
  const { entry, request } = readRequest(body, catalogue);
  const found = routeFor(entry.routes[service] ?? [], request);
  return "route" in found ? operationOf(found.route, request, CONTEXT) : found;
}

describe("a request becomes what the service documents:", () => {
  it.each(cases.map((golden) => [`${golden.service}: ${golden.name}`, golden] as const))(
    "%s",
    (_, golden) => {
      const operation = operationFor(golden);
      if ("refusedField" in operation) throw new Error(`refused: ${operation.refusedField}`);
      const { api, endpoint, input } = operation;
      expect({ api, endpoint, input }).toEqual({
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

it("every golden request names its source", () => {
  for (const { source } of cases) expect(source).toMatch(/^https:\/\//);
});
