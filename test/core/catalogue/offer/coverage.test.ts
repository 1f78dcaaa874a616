import { expect, test } from "vitest";
import { coverageOf } from "../../../../src/catalogue/offered-catalogue.js";
import { IMAGE } from "../../../support/core.js";
import { paused, UNREACHABLE } from "../../../support/provider-states.js";
import { catalogueWith, serviceMapping } from "../../../support/service-mappings.js";
import { createStubProvider } from "../../../support/stub-provider.js";

test("a service tells how many models it makes, and which of them nobody takes jobs for", () => {
  const catalogue = catalogueWith({
    [IMAGE.model_key]: { a: [serviceMapping()], b: [serviceMapping()] },
    "z-image-turbo": { a: [serviceMapping()] },
  });
  const [a, b] = ["a", "b"].map((name) => createStubProvider(2, { name, kind: "upstream" }));
  if (!a || !b) throw new Error("two providers");
  expect(coverageOf(catalogue, [a, b], "a")).toEqual({ count: 2, off: 0 });
  a.state = paused("no_credit");
  expect(coverageOf(catalogue, [a, b], "a")).toEqual({ count: 2, off: 1 });
  b.state = UNREACHABLE;
  expect(coverageOf(catalogue, [a, b], "a")).toEqual({ count: 2, off: 2 });
  expect(coverageOf(catalogue, [a, b], "b")).toEqual({ count: 1, off: 1 });
});
