import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const dockerfile = read("Dockerfile");

test("only the service can read the image's data directory", () => {
  expect(dockerfile).toMatch(/^RUN install -d -o node -g node -m 700 \/data$/m);
});

test("the image, the development dependency, its types and the floor are of one version of Node", () => {
  const manifest = z
    .object({
      engines: z.object({ node: z.string() }),
      devDependencies: z.object({ node: z.string(), "@types/node": z.string() }),
    })
    .parse(JSON.parse(read("package.json")));
  const { node, "@types/node": types } = manifest.devDependencies;
  const [major] = node.split(".");
  expect(/^ARG NODE_VERSION=(.+)$/m.exec(dockerfile)?.[1]).toBe(node);
  for (const [, image] of dockerfile.matchAll(/^FROM (\S+)/gm)) {
    expect(image).toMatch(/^node:\$\{NODE_VERSION\}-/);
  }
  expect(read(".nvmrc").trim()).toBe(node);
  expect(types.split(".")[0]).toBe(major);
  expect(manifest.engines.node).toBe(`>=${major}`);
  expect(process.versions.node).toBe(node);
});
