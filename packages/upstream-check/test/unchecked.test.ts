import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { loadCatalogue } from "../../../src/catalogue/catalogue.js";
import { ADAPTERS } from "../../../src/providers/adapters.js";
import { readDoubts } from "../src/doubts.js";
import { cheapestRequest, findModel } from "../src/request.js";

const { entries, rates } = loadCatalogue("data/catalogue.json");
const doubts = readDoubts("data/unchecked.json");

describe.each(doubts.map((doubt) => [`${doubt.service}: ${doubt.doubt}`, doubt] as const))(
  "%s",
  (_n, doubt) => {
    const { service, models = [], used = [] } = doubt;

    test("names a service that has an adapter", () => {
      expect(ADAPTERS.map(({ name }) => name)).toContain(service);
    });

    test("says what leans on it: models with a mapping there, or files that exist", () => {
      expect(models.length + used.length).toBeGreaterThan(0);
      for (const model of models)
        expect(entries.find(({ model_key }) => model_key === model)?.mappings).toHaveProperty(service);
      expect(used.filter((file) => !existsSync(file))).toEqual([]);
    });
  },
);

test("every command of the list, and every model of a service, has a cheapest request", () => {
  const listed = doubts.flatMap(({ check }) => {
    const [, service, model] = /upstream:check -- (\S+) (\S+)/.exec(check) ?? [];
    return service && model ? [[service, model]] : [];
  });
  const served = entries.flatMap(({ model_key, mappings }) =>
    Object.keys(mappings).map((name) => [name, model_key]),
  );
  expect(listed.length).toBeGreaterThan(0);
  for (const [service = "", model = ""] of [...listed, ...served]) {
    const cheap = cheapestRequest(findModel(entries, service, model), rates);
    expect(cheap, `${service} ${model}`).toBeDefined();
  }
});

test("a mapping that makes another version than the title says has its doubt in the list", () => {
  const untold = entries.flatMap(({ model_key, mappings }) =>
    Object.entries(mappings)
      .filter(([, list]) => list.some(({ substitute }) => substitute))
      .filter(
        ([name]) => !doubts.some(({ service, models }) => service === name && models?.includes(model_key)),
      )
      .map(([name]) => `${name} ${model_key}`),
  );
  expect(untold).toEqual([]);
});

test("docs/unchecked.md says what the list, the mappings and the recordings say", async () => {
  await promisify(execFile)(process.execPath, ["scripts/docs-unchecked.mjs", "--check"]);
});
