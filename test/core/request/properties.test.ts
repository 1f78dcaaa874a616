import { describe, expect, it } from "vitest";
import { ContractError } from "../../../src/contract/errors.js";
import fc from "../../support/fast-check.js";
import { catalogue, link, read } from "./support.js";

const NAMES = [
  ...new Set(catalogue.models.flatMap(({ parameters }) => Object.keys(parameters))),
  ..."prompt_text ratio speed_mode input_mode start_image_url image_url end_image_url model".split(" "),
  ..."stylePresetId customStyle makeInstrumental durationSec styleWeight audioWeight __proto__".split(" "),
];
const KNOWN_VALUES = catalogue.models.flatMap(({ parameters }) =>
  Object.values(parameters).flatMap((parameter) => parameter?.values ?? []),
);
const aLink = fc.oneof(
  fc.webUrl({ validSchemes: ["https", "http"] }),
  fc.constantFrom(link("a"), link("b"), "https://localhost/", "x", "https://Example.com\\ü \ud800?q= #f"),
);
const aValue = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...KNOWN_VALUES) },
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  { weight: 2, arbitrary: fc.string({ minLength: 100, maxLength: 2000 }) },
  { weight: 3, arbitrary: fc.array(aLink, { maxLength: 20 }) },
  { weight: 2, arbitrary: aLink },
  { weight: 2, arbitrary: fc.oneof(fc.double(), fc.integer().map(String), fc.boolean()) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const aKey = fc.option(fc.constantFrom(...catalogue.models.map(({ model_key }) => model_key), "seedream-4"), {
  nil: undefined,
});
const aBody = fc
  .tuple(
    fc.option(fc.constantFrom("image", "video", "music"), { nil: undefined }),
    aKey,
    fc.dictionary(fc.constantFrom(...NAMES), aValue),
  )
  .map(([type, model_key, rest]) => {
    const own = catalogue.models.find((model) => model.model_key === model_key);
    return { prompt: "a cat", description: "a slow waltz", ...rest, type: own?.type ?? type, model_key };
  });

function attempt(body: unknown) {
  try {
    return read(body);
  } catch (error) {
    if (error instanceof ContractError) return undefined;
    throw error;
  }
}

describe("for any body", () => {
  it("only a ContractError rejects it", () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.jsonValue(), aBody), (body) => void attempt(body)),
      {
        numRuns: 2000,
      },
    );
  });

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
