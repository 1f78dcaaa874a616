import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import scalar from "@scalar/fastify-api-reference";
import { fastify } from "fastify";

/**
 * `node scripts/reference.mjs DIRECTORY` writes the program of the page `/docs` as DIRECTORY/reference.js.gz. The package
 * of Scalar has it as a text in a module, which takes a second and 30 MB to load: the service serves the file alone.
 */
const [directory = "."] = process.argv.slice(2);
const app = fastify();
await app.register(scalar, { routePrefix: "/docs", configuration: { url: "/openapi.json" } });
const { statusCode, rawPayload } = await app.inject("/docs/js/scalar.js");
if (statusCode !== 200) throw new Error(`the package of Scalar answered ${statusCode}`);
writeFileSync(join(directory, "reference.js.gz"), gzipSync(rawPayload, { level: 9 }));
await app.close();
