import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
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

/** Manifests and lock entries: what a package needs where development dependencies are left out. */
const Needs = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

test("of the packages the image has the renderer alone", () => {
  const packages = /\bpackages\/[\w*-]+/g;
  for (const file of [dockerfile, read(".dockerignore")]) {
    expect(new Set(file.match(packages))).toEqual(new Set(["packages/preview-renderer"]));
  }
  expect(dockerfile).not.toMatch(/^COPY (?:--\S+ )?(?:\.|packages|\/app) /m);
  expect(read(".dockerignore").split("\n")[0]).toBe("*");
});

test("the image has what the script leaves, with the renderer or without it", () => {
  expect(dockerfile).toMatch(
    /^ARG RENDERER=yes\nRUN npm run build && sh scripts\/slim-image\.sh "\$RENDERER"$/m,
  );
  expect(dockerfile).not.toContain("npm prune");
  const slim = (renderer: string) =>
    spawnSync("sh", ["scripts/slim-image.sh", renderer], { encoding: "utf8" });
  for (const other of ["", "maybe"])
    expect(slim(other)).toMatchObject({
      status: 1,
      stdout: "",
      stderr: `RENDERER: must be yes or no, not "${other}"\n`,
    });
});

test("the data that the image copies reach its build, and are there", () => {
  const copied = [...dockerfile.matchAll(/^COPY (data\/.+) data\/?\S*$/gm)].flatMap(([, names = ""]) =>
    names.split(" "),
  );
  expect(copied.length).toBeGreaterThan(5);
  const allowed = read(".dockerignore").split("\n");
  expect(copied.filter((name) => !existsSync(name) || !allowed.includes(`!${name}`))).toEqual([]);
});

test("neither the service nor the renderer needs what only the sandbox and the stand-ins use", () => {
  const { packages } = z
    .object({ packages: z.record(z.string(), Needs) })
    .parse(JSON.parse(read("package-lock.json")));
  const needed = new Set<string>();
  const visit = (path: string): void => {
    const { dependencies, optionalDependencies } = packages[path] ?? Needs.parse({});
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (needed.has(name)) continue;
      needed.add(name);
      visit(name.startsWith("@atelier/") ? name.replace("@atelier", "packages") : `node_modules/${name}`);
    }
  };
  visit("");
  expect([...needed].filter((name) => name.startsWith("@atelier/"))).toEqual(["@atelier/preview-renderer"]);
  expect([...needed]).toEqual(expect.arrayContaining(["fastify", "@napi-rs/canvas", "@napi-rs/webcodecs"]));
  const foreign = ["busboy", "streamsearch", "@gramio/types", "ts-json-schema-generator"];
  expect(foreign.filter((name) => needed.has(name))).toEqual([]);
});
