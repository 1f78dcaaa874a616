import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const dockerfile = readFileSync(new URL("../Dockerfile", import.meta.url), "utf8");

test("only the service can read the image's data directory", () => {
  expect(dockerfile).toMatch(/^RUN install -d -o node -g node -m 700 \/data$/m);
});
