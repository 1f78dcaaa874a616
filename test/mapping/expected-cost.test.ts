import { describe, expect, test } from "vitest";
import { loadCatalogue } from "../../src/catalogue/catalogue.js";
import { expectedCost, mappingFor, operationOf } from "../../src/catalogue/operation.js";
import { readRequest } from "../../src/jobs/read-request.js";
import { mappingOf } from "../support/service-mappings.js";
import { CONTEXT, imageRequest } from "./mappings.js";

const minutes = mappingOf({ cost: { currency: "USD", per: "minute", amount: 0.6 } });

describe("a cost by the minute", () => {
  test.each([
    [60, 0.6],
    [61, 1.2],
  ])("counts each minute that %i seconds begin", (duration_sec, amount) => {
    expect(expectedCost(minutes, imageRequest({ duration_sec }))?.amount).toBe(amount);
  });

  test("is not known without a duration", () => {
    expect(expectedCost(minutes, imageRequest())).toBeUndefined();
  });
});

describe("what fal asks", () => {
  const catalogue = loadCatalogue("data/catalogue.json");
  const operationFor = (body: object) => {
    const { entry, request } = readRequest(body, catalogue);
    const found = mappingFor(entry.mappings.fal ?? [], request);
    const operation = "mapping" in found ? operationOf(found.mapping, request, CONTEXT) : found;
    return "refusedField" in operation ? expect.fail(operation.refusedField) : operation;
  };

  test("is expected by the catalogue, and told by the units of the task where their price is known", () => {
    const picture = { type: "image", model_key: "nano-banana-pro", prompt: "a fox", resolution: "4K" };
    expect(operationFor(picture)).toMatchObject({
      cost: { amount: 0.3, currency: "USD", source: "catalogue" },
      unit: { amount: 0.15, currency: "USD" },
    });
    const film = { type: "video", model_key: "kling-4", prompt: "a fox runs", duration_sec: 10 };
    expect(operationFor(film)).not.toHaveProperty("unit");
    expect(operationFor(film).cost?.amount).toBeGreaterThan(1);
  });
});
