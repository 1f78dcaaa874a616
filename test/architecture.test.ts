import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";

/** The modules of src: each may import those that stand before it. What stands in src itself composes them. */
const MODULES = [
  "contract",
  "platform",
  "database",
  "media",
  "workers",
  "generation-api",
  "transfer",
  "accounts",
  "ports",
  "catalogue",
  "moderation",
  "tills",
  "jobs",
  "providers",
  "gather",
  "service",
  "core",
  "client",
  "backup",
  "http",
  "bot",
  "ctl",
];

/** The parts that know a package. */
const PACKAGE_OWNERS: Readonly<Record<string, string>> = {
  grammy: "bot",
  "@grammyjs": "bot",
  fastify: "http",
  "@prometheus-io": "http",
  commander: "ctl",
  "better-sqlite3": "database",
  undici: "platform",
};

interface Source {
  /** Below src, as `part/file.ts`. */
  path: string;
  text: string;
}

const sources = filesBelow("src", ".ts").map((path) => read("src", path));
/** What stands in `packages`, as `packages/NAME/src/file.ts`. */
const packaged = readdirSync("packages").flatMap((name) => {
  const folder = `packages/${name}/src`;
  return filesBelow(folder, ".ts").map((path) => ({ ...read(folder, path), path: `${folder}/${path}` }));
});

function filesBelow(folder: string, ...disposers: string[]): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    disposers.some((ending) => path.endsWith(ending)),
  );
}

function read(folder: string, path: string): Source {
  return { path, text: readFileSync(posix.join(folder, path), "utf8") };
}

function isEntry(path: string): boolean {
  return /^(?:packages\/[\w-]+\/src\/(?:main|worker)|main|ctl\/main|workers\/(?:file|chart)-worker|backup\/backup-worker)\.ts$/.test(
    path,
  );
}

/** The folder of src that a file stands in, or the file itself where it stands in src. */
function partOf(path: string): string {
  return path.split("/", 1)[0] ?? path;
}

/** The code without comments, and with its texts emptied unless they are kept. */
function codeOf(text: string, keepsTexts: boolean): string {
  const tokens = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  return text.replace(tokens, (_all, literal: string | undefined) =>
    literal === undefined ? "" : keepsTexts ? literal : '""',
  );
}

/** What a file imports, by any syntax: `import`, `export … from`, `import()` of code and of types. */
function importsOf({ text }: Source): string[] {
  const code = codeOf(text, true);
  const forms = [
    /(?:^|[\n;}])\s*(?:import|export)\b[^;"'`]*?\bfrom\s*["']([^"']+)["']/g,
    /(?:^|[\n;}])\s*import\s*["']([^"']+)["']/g,
    /\bimport\s*\(\s*["']([^"']+)["']/g,
  ];
  return forms.flatMap((form) => [...code.matchAll(form)].map(([, name]) => name ?? ""));
}

/** Imports of our own files, as `[from, to]` below src. */
function ownImports(source: Source): [from: string, to: string][] {
  return importsOf(source)
    .filter((name) => name.startsWith("."))
    .map((name) => posix.join(posix.dirname(source.path), name).replace(/\.js$/, ".ts"))
    .map((to) => [source.path, to]);
}

function isAllowed(from: string, to: string): boolean {
  if (isEntry(to)) return false;
  const [importer, imported] = [MODULES.indexOf(partOf(from)), MODULES.indexOf(partOf(to))];
  return importer < 0 || isEntry(from) || (imported >= 0 && imported <= importer);
}

test("imports point one way", () => {
  const breaches = sources
    .flatMap(ownImports)
    .filter(([from, to]) => !isAllowed(from, to))
    .map(([from, to]) => `${from} → ${to}`);
  expect(breaches).toEqual([]);
  expect(new Set(sources.map(({ path }) => partOf(path)).filter((part) => !part.endsWith(".ts")))).toEqual(
    new Set(MODULES),
  );
});

/** The types of the service that the demo starts. */
const OF_THE_DEMO = ["src/app.ts", "src/config.ts"].map((to) => `packages/demo/src/service.ts → ${to}`);

/** Without `upstream-check`, which tries the service's own catalogue and adapters, and is of no use without them. */
const independent = packaged.filter(({ path }) => !path.startsWith("packages/upstream-check/"));

test("a package of packages imports nothing of src, and others by their names; the demo takes types of src", () => {
  const breaches = independent
    .flatMap(ownImports)
    .filter(([from, to]) => !to.startsWith(from.split("/", 3).join("/")))
    .map(([from, to]) => `${from} → ${to}`);
  expect(breaches.toSorted()).toEqual(OF_THE_DEMO);
});

test("a package of packages lists what it imports: it is of use without the service", () => {
  const missing = independent.flatMap((source) => {
    const folder = source.path.split("/", 2).join("/");
    const lists = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as Record<string, object>;
    const listed = ["dependencies", "optionalDependencies", "devDependencies"].flatMap((kind) =>
      Object.keys(lists[kind] ?? {}),
    );
    return importsOf(source)
      .filter((name) => !/^(?:\.|node:)/.test(name))
      .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"))
      .filter((name) => !listed.includes(name))
      .map((name) => `${source.path} → ${name}`);
  });
  expect(missing).toEqual([]);
});

test("the service imports no package of packages but the renderer, and only where it is composed", () => {
  const imports = sources.flatMap((source) =>
    importsOf(source)
      .filter((name) => name.startsWith("@atelier/"))
      .map((name) => `${source.path} → ${name}`),
  );
  expect(imports).toEqual(["app.ts → @atelier/preview-renderer"]);
});

test("a package with an owner is imported only by that owner", () => {
  const breaches = sources.flatMap((source) =>
    importsOf(source)
      .filter((name) => {
        const owner = PACKAGE_OWNERS[partOf(name)];
        return owner !== undefined && owner !== partOf(source.path);
      })
      .map((name) => `${source.path} → ${name}`),
  );
  expect(breaches).toEqual([]);
});

test("an address is relative to a file of src or of a module's own folder: a built module is one file there", () => {
  const deeper = sources.filter(
    ({ path, text }) => text.includes("import.meta") && path.split("/").length > 2,
  );
  expect(deeper.map(({ path }) => path)).toEqual([]);
});

test("only entry points use the process global", () => {
  const touches = [...sources, ...packaged]
    .filter(({ path }) => !isEntry(path))
    .filter(
      (source) =>
        /(?<![.\w$#])process\s*(?:[.[?]|$)/m.test(codeOf(source.text, false)) ||
        importsOf(source).some((name) => name === "process" || name === "node:process"),
    );
  expect(touches.map(({ path }) => path)).toEqual([]);
});

const CORE = [
  "contract",
  "ports",
  "media",
  "accounts",
  "catalogue",
  "tills",
  "jobs",
  "providers",
  "gather",
  "core",
];

test("the core and its ports do not name a chat service: accounts have identities", () => {
  const named = sources
    .filter(({ path }) => CORE.includes(partOf(path)))
    .filter(({ text }) => /telegram/i.test(text));
  expect(named.map(({ path }) => path)).toEqual([]);
});

test("a section that a comment cites stands in docs/generation-api.md", () => {
  const contract = readFileSync("docs/generation-api.md", "utf8");
  const known = new Set([...contract.matchAll(/^##+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number]) => number));
  const cited = sources.flatMap(({ path, text }) =>
    text
      .split("\n")
      .filter((line) => !/RFC|https?:/.test(line))
      .flatMap((line) => [...line.matchAll(/\bsections? (\d+(?:\.\d+)?(?:(?:, | and )\d+(?:\.\d+)?)*)/gi)])
      .flatMap(([, numbers = ""]) => numbers.split(/, | and /))
      .map((number) => ({ path, number })),
  );
  expect(cited.length).toBeGreaterThan(20);
  expect(cited.filter(({ number }) => !known.has(number))).toEqual([]);
});

test("a file or folder that the documents name is there", () => {
  const documents = [
    "README.md",
    "CONTRIBUTING.md",
    ...filesBelow("docs", ".md").map((path) => `docs/${path}`),
  ];
  const named = documents.flatMap((document) =>
    [...readFileSync(document, "utf8").matchAll(/`((?:src|test|packages|scripts|locales)\/[\w./-]+)`/g)].map(
      ([, path = ""]) => ({ document, path }),
    ),
  );
  expect(named.length).toBeGreaterThan(30);
  const made = /^locales\/CODE|\/dist\//;
  expect(named.filter(({ path }) => !made.test(path) && !existsSync(path))).toEqual([]);
});

/** Words that begin a fragment ("Of the polls.") instead of a sentence or a noun phrase. */
const FRAGMENT_STARTS =
  "About Above After Against Along Among Around As At Before Behind Below Beneath Beside Between Beyond By During " +
  "For From In Inside Into Like Near Of Off On Onto Out Outside Over Per Since Through Till To Toward Towards Under " +
  "Until Unto Upon With Within Without When Where While Those";

test("a docstring is a sentence or names a thing: it begins with no preposition", () => {
  const start = new RegExp(`/\\*\\*\\s*(?:\\* )?(?:${FRAGMENT_STARTS.replaceAll(" ", "|")})\\s[^\\n]*`, "g");
  const fragments = sources.flatMap(({ path, text }) =>
    [...text.matchAll(start)].map(([found]) => `${path}: ${found.replace(/\s+/g, " ")}`),
  );
  expect("/** Of the polls. */".match(start)).toHaveLength(1);
  expect(fragments).toEqual([]);
});

test("nothing is left over: no notes of unfinished work, no focused test", () => {
  // The brackets keep this line from finding itself.
  const leftover = /\b(?:TO[D]O|FIX[M]E)\b|\.[o]nly\(/;
  const folders = ["src", "test", "scripts", "packages"];
  const found = folders.flatMap((folder) =>
    filesBelow(folder, ".ts", ".mjs")
      .filter((path) => !/\/(?:dist|node_modules)\//.test(path))
      .map((path) => read(folder, path))
      .filter(({ text }) => leftover.test(text))
      .map(({ path }) => `${folder}/${path}`),
  );
  expect(found).toEqual([]);
});
