import { describe, expect, it } from "vitest";
import { ContractError } from "../../../src/contract/errors.js";
import fc from "../../support/fast-check.js";
import { aBody } from "./bodies.js";
import { read } from "./support.js";

function attempt(body: unknown) {
  try {
    return read(body);
  } catch (error) {
    if (error instanceof ContractError) return undefined;
    throw error;
  }
}

describe("for any body", () => {
  it("normalising the normalised request again, also from JSON, changes nothing", () => {
    let accepted = 0;
    fc.assert(
      fc.property(aBody, (body) => {
        const first = attempt(body);
        if (!first) return;
        accepted += 1;
        const text = JSON.stringify(first.request);
        const again = read(JSON.parse(text));
        expect(JSON.stringify(again.request)).toBe(text);
        expect(again).toEqual(first);
        expect(Buffer.from(text, "utf8").toString("utf8")).toBe(text);
      }),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(300);
  });

  it("an accepted request contains only fields of its model, at a whole number of kopecks", () => {
    fc.assert(
      fc.property(aBody, (body) => {
        const result = attempt(body);
        if (!result) return;
        const { entry, request, count, unitKopecks, totalKopecks } = result;
        for (const name of Object.keys(request).filter((key) => key !== "type" && key !== "model_key")) {
          expect(entry.model.parameters[name]).toBeTruthy();
        }
        expect(Number.isSafeInteger(unitKopecks) && unitKopecks > 0).toBe(true);
        expect(totalKopecks).toBe(unitKopecks * count);
      }),
      { numRuns: 1000 },
    );
  });
});
