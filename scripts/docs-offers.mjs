import { writeFileSync } from "node:fs";

/** Writes data/offers.schema.json from the schema in src/catalogue/offers.ts. */
/** @type {typeof import("../src/catalogue/offers.js")} */
const { offersJsonSchema } = await import(new URL("../build/src/catalogue/offers.js", import.meta.url).href);

const file = new URL("../data/offers.schema.json", import.meta.url);
writeFileSync(file, `${JSON.stringify(offersJsonSchema(), null, 2)}\n`);
