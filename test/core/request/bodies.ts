import fc from "../../support/fast-check.js";
import { catalogue, link } from "./support.js";

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
/** A body of the API, more often one that means something. */
export const aBody = fc
  .tuple(
    fc.option(fc.constantFrom("image", "video", "music"), { nil: undefined }),
    aKey,
    fc.dictionary(fc.constantFrom(...NAMES), aValue),
  )
  .map(([type, model_key, rest]) => {
    const own = catalogue.models.find((model) => model.model_key === model_key);
    return { prompt: "a cat", description: "a slow waltz", ...rest, type: own?.type ?? type, model_key };
  });
