import { writeFileSync } from "node:fs";

/** Writes data/offers.schema.json from the schema in src/core/offers/offers-schema.ts. */
/** @type {typeof import("../src/core/offers/offers-json-schema.js")} */
const { offersJsonSchema } = await import(
  new URL("../dist/core/offers/offers-json-schema.js", import.meta.url).href
);

const file = new URL("../data/offers.schema.json", import.meta.url);
writeFileSync(file, `${JSON.stringify(offersJsonSchema(), null, 2)}\n`);
