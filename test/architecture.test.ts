import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";

/** Who may import what: parts of src, or single files of them. Every part may import itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "config.ts": [
    "config-variables.ts",
    "config-tills.ts",
    "config-upstreams.ts",
    "config-readers.ts",
    "platform",
  ],
  "config-mistyped.ts": ["config.ts", "platform"],
  "config-variables.ts": ["config-tills.ts", "config-upstreams.ts", "config-readers.ts"],
  "config-tills.ts": ["config-readers.ts"],
  "config-upstreams.ts": ["config-readers.ts"],
  "config-readers.ts": ["contract", "platform"],
  "data-dir.ts": ["config.ts", "backup", "database", "platform"],
  "restore-data.ts": ["data-dir.ts", "backup", "bot", "core", "database", "platform"],
  "build-http.ts": ["config.ts", "build-backups.ts", "bot", "http", "ports", "database", "platform"],
  "program-version.ts": [],
  "build-bot.ts": ["config.ts", "backup", "bot", "core", "ports", "database", "platform"],
  "build-backups.ts": ["config.ts", "program-version.ts", "backup", "database", "ports", "platform"],
  "build-moderation.ts": ["config.ts", "moderation", "platform"],
  "build-providers.ts": ["config.ts", "providers", "ports", "platform"],
  "build-service.ts": ["config.ts", "core", "client", "media", "contract", "ports", "database", "platform"],
  "build-tills.ts": ["config.ts", "tills", "ports", "database", "platform"],
  "build-upstreams.ts": [
    "config.ts",
    "core",
    "client",
    "media",
    "providers",
    "ports",
    "database",
    "platform",
  ],
  backup: ["ports", "database", "platform"],
  bot: ["contract", "ports", "database", "platform"],
  moderation: ["contract", "ports", "platform"],
  tills: ["contract", "ports", "database", "platform"],
  http: ["core/core.ts", "contract", "ports", "platform"],
  ctl: ["core/core.ts", "moderation", "contract", "ports", "platform"],
  "ctl/upstream-check": ["core/core.ts", "providers", "workers", "mapping", "contract", "ports", "platform"],
  client: ["generation-api", "transfer", "contract", "ports", "media", "database", "platform"],
  "generation-api": ["contract", "ports", "platform"],
  transfer: ["generation-api", "contract", "ports", "media", "platform"],
  providers: [
    "mapping",
    "generation-api",
    "transfer",
    "workers",
    "contract",
    "ports",
    "media",
    "database",
    "platform",
  ],
  workers: ["contract", "ports", "media", "platform"],
  core: ["mapping", "contract", "ports", "media", "database", "platform"],
  mapping: ["contract", "platform"],
  media: ["contract", "ports", "database", "platform"],
  ports: ["contract"],
  database: ["platform"],
  contract: [],
  platform: [],
};

/** The parts that know a package. */
const PACKAGE_OWNERS: Readonly<Record<string, string | readonly string[]>> = {
  grammy: "bot",
  "@grammyjs": "bot",
  fastify: "http",
  "@prometheus-io": "http",
  commander: ["ctl", "ctl/upstream-check"],
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
  return /^(?:packages\/[\w-]+\/src\/(?:main|worker)|main|ctl\/(?:upstream-check\/)?main|workers\/(?:file|chart)-worker|backup\/backup-worker)\.ts$/.test(
    path,
  );
}

/** The first folder of a file, or the file itself where it stands in src; a folder in it that has rules of its own. */
function partOf(path: string): string {
  const [first = path, second] = path.split("/", 2);
  const inner = `${first}/${second}`;
  return inner in MAY_IMPORT ? inner : first;
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
  if (from === "app.ts") return true;
  const folder = posix.dirname(from);
  if (isEntry(from)) {
    return (
      ["app.ts", "config.ts", "config-mistyped.ts"].includes(to) ||
      (folder !== "." && to.startsWith(`${folder}/`))
    );
  }
  if (partOf(from) === partOf(to)) return true;
  return MAY_IMPORT[partOf(from)]?.some((allowed) => to === allowed || partOf(to) === allowed) ?? false;
}

test("the import reader sees every import syntax and ignores comments and strings", () => {
  const text = [
    'import a, { type B } from "./one.js";',
    'import {\n  c,\n} from "./two.js";',
    'export * from "./three.js";',
    'import "./four.js";',
    'const five = await import("./five.js");',
    'let six: import("./six.js").Six;',
    '// import "./not.js";',
    '/* import "./not.js"; */',
    'new URL("./not.js", import.meta.url);',
    'const url = "https://x"; import "./seven.js";',
  ].join("\n");
  expect(new Set(importsOf({ path: "x.ts", text }))).toEqual(
    new Set(["one", "two", "three", "four", "five", "six", "seven"].map((name) => `./${name}.js`)),
  );
});

test("imports point one way", () => {
  const breaches = sources
    .flatMap(ownImports)
    .filter(([from, to]) => !isAllowed(from, to))
    .map(([from, to]) => `${from} → ${to}`);
  expect(breaches).toEqual([]);
});

/** The types of the service that the demo starts. */
const OF_THE_DEMO = ["src/app.ts", "src/config.ts"].map((to) => `packages/demo/src/service.ts → ${to}`);

test("a package of packages imports nothing of src, and others by their names; the demo takes types of src", () => {
  const breaches = packaged
    .flatMap(ownImports)
    .filter(([from, to]) => !to.startsWith(from.split("/", 3).join("/")))
    .map(([from, to]) => `${from} → ${to}`);
  expect(breaches.toSorted()).toEqual(OF_THE_DEMO);
});

test("a package of packages lists what it imports: it is of use without the service", () => {
  const missing = packaged.flatMap((source) => {
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
  expect(imports).toEqual(["build-providers.ts → @atelier/preview-renderer"]);
});

test("a package with an owner is imported only by that owner", () => {
  const breaches = sources.flatMap((source) =>
    importsOf(source)
      .filter((name) => {
        const owner = PACKAGE_OWNERS[partOf(name)];
        return owner !== undefined && ![owner].flat().includes(partOf(source.path));
      })
      .map((name) => `${source.path} → ${name}`),
  );
  expect(breaches).toEqual([]);
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

test("the core and its ports do not name a chat service: accounts have identities", () => {
  const named = sources
    .filter(({ path }) => ["core", "ports", "contract", "media"].includes(partOf(path)))
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
      .filter((path) => !path.includes("/dist/"))
      .map((path) => read(folder, path))
      .filter(({ text }) => leftover.test(text))
      .map(({ path }) => `${folder}/${path}`),
  );
  expect(found).toEqual([]);
});
