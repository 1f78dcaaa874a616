import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { newFolder } from "../support/new-folder.js";

const execute = promisify(execFile);

/** Those of the service, of which nothing else is here. */
const ENTRIES = [
  "app",
  "backup/backup-worker",
  "config",
  "ctl/main",
  "http/read-json",
  "main",
  "workers/chart-worker",
  "workers/file-worker",
];

/** A small project with our scripts and settings, and one entry of its own. */
function project({ hasCompiler = true } = {}): string {
  const root = newFolder();
  for (const path of ["scripts", "package.json", "package-lock.json", "tsconfig.json"])
    cpSync(path, join(root, path), { recursive: true });
  // The page of the documentation takes longer to pack than all else here to build.
  writeFileSync(join(root, "scripts/reference.mjs"), "");
  for (const entry of ENTRIES) {
    mkdirSync(join(root, "src", entry, ".."), { recursive: true });
    writeFileSync(join(root, `src/${entry}.ts`), "export {};\n");
  }
  writeEntry(root, "first");
  if (hasCompiler) symlinkSync(join(process.cwd(), "node_modules"), join(root, "node_modules"));
  return root;
}

/** A project that is built, and has no compiler. */
function builtProject(program: string): string {
  const root = project({ hasCompiler: false });
  mkdirSync(join(root, "dist/ctl"), { recursive: true });
  writeFileSync(join(root, "dist/ctl/main.js"), program);
  return root;
}

function writeEntry(root: string, word: string, ...more: string[]): void {
  const lines = [
    ...more,
    `const word: string = ${JSON.stringify(word)};`,
    'process.stdout.write([word, ...process.argv.slice(2)].join(" ") + "\\n");',
  ];
  writeFileSync(join(root, "src/ctl/main.ts"), lines.join("\n"));
}

const WAITS = `
  process.on("SIGTERM", () => process.exit(7));
  setInterval(() => {}, 1000);
  process.stdout.write("waits");`;

function run(root: string, ...args: string[]) {
  return execute(process.execPath, [join(root, "scripts/run.mjs"), "ctl/main", ...args], { cwd: tmpdir() });
}

test("the start builds what is missing, after a change or a deletion; the program alone writes to stdout", async () => {
  const root = project();
  const { stdout, stderr } = await run(root, "--json", "a b");
  expect(stdout).toBe("first --json a b\n");
  expect(stderr).toContain("building dist");
  expect((await run(root)).stderr).toBe("");
  writeEntry(root, "second");
  expect((await run(root)).stdout).toBe("second\n");
  writeFileSync(join(root, "src/ctl/gone.ts"), 'export const word = "third";\n');
  writeEntry(root, "second", 'export { word } from "./gone.js";');
  await run(root);
  expect(readFileSync(join(root, "dist/ctl/ctl.js"), "utf8")).toContain("third");
  writeEntry(root, "second");
  rmSync(join(root, "src/ctl/gone.ts"));
  await run(root);
  expect(existsSync(join(root, "dist/ctl/ctl.js"))).toBe(false);
});

test("two concurrent starts both run, and leave one dist", async () => {
  const root = project();
  const outputs = await Promise.all([run(root), run(root), run(root)]);
  expect(outputs.map(({ stdout }) => stdout)).toEqual(["first\n", "first\n", "first\n"]);
  expect(readdirSync(root).filter((name) => name.startsWith("dist"))).toEqual(["dist"]);
});

test("the command exits with the program's exit code or signal", async () => {
  const failing = run(builtProject('process.exitCode = 3; process.stdout.write("fails");'));
  await expect(failing).rejects.toMatchObject({ code: 3, stdout: "fails" });
  const waiting = run(builtProject(WAITS));
  waiting.child.stdout?.once("data", () => waiting.child.kill("SIGTERM"));
  await expect(waiting).rejects.toMatchObject({ code: 7 });
});

test("a signal to npm reaches the program, which does not keep running", async () => {
  const npm = execute("npm", ["run", "--silent", "ctl"], { cwd: builtProject(WAITS) });
  npm.child.stdout?.once("data", () => npm.child.kill("SIGTERM"));
  await expect(npm).rejects.toMatchObject({ code: 7 });
});

test("a source that does not parse stops the start and keeps the old dist", async () => {
  const root = project();
  await run(root);
  writeFileSync(join(root, "src/ctl/main.ts"), "const = ;\n");
  await expect(run(root)).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("src/ctl/main.ts"),
  });
  expect(existsSync(join(root, "dist/ctl/main.js"))).toBe(true);
});

test("imports by name nothing that an old Node lacks: it would end with a trace before its line", () => {
  const names = readFileSync("scripts/run.mjs", "utf8").matchAll(/import \{ (.+) \} from "node:/g);
  expect([...names].map(([, name]) => name)).toEqual(["existsSync, readFileSync", "fileURLToPath"]);
});

test("a Node older than the floor is named in one line, and nothing is built or loaded", async () => {
  const root = project();
  writeFileSync(join(root, "package.json"), JSON.stringify({ type: "module", engines: { node: ">=99" } }));
  await expect(run(root)).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: `Node 99 or newer is needed, which npm ci brings; this is ${process.versions.node}. Run npm ci first\n`,
  });
  expect(existsSync(join(root, "dist"))).toBe(false);
});

test("without a compiler an existing dist runs", async () => {
  const root = project({ hasCompiler: false });
  await expect(run(root)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("npm ci") });
  mkdirSync(join(root, "dist/ctl"), { recursive: true });
  writeFileSync(join(root, "dist/ctl/main.js"), 'process.stdout.write("as it is\\n");\n');
  expect(await run(root)).toMatchObject({ stdout: "as it is\n", stderr: "" });
});

test("a package is built into its own dist, with its pages, styles and schemas", async () => {
  const root = project();
  cpSync("packages/upstream-stand-ins/tsconfig.json", join(root, "packages/sandbox/tsconfig.json"));
  for (const path of ["page/index.html", "page/chat.css", "schema/bot-api.json", "index.ts"]) {
    mkdirSync(join(root, "packages/sandbox/src", path, ".."), { recursive: true });
    writeFileSync(join(root, "packages/sandbox/src", path), "{}");
  }
  await run(root);
  const made = readdirSync(join(root, "packages/sandbox/dist"), { recursive: true });
  expect(made).toEqual(
    expect.arrayContaining(["page/index.html", "page/chat.css", "schema/bot-api.json", "index.js"]),
  );
});

test("an entry of a package runs, where there is a compiler or a built package", async () => {
  const root = project({ hasCompiler: false });
  mkdirSync(join(root, "packages/demo/dist"), { recursive: true });
  writeFileSync(join(root, "packages/demo/dist/main.js"), 'process.stdout.write("demo\\n");\n');
  const demo = execute(process.execPath, [join(root, "scripts/run.mjs"), "packages/demo/dist/main"]);
  expect(await demo).toMatchObject({ stdout: "demo\n", stderr: "" });
});

test.each([
  ["production", "environment file"],
  ["test", "environment "],
])("settings of .env count where the environment lacks them, with NODE_ENV=%s", async (mode, told) => {
  const root = builtProject('process.stdout.write([process.env.FIRST, process.env.SECOND].join(" "));');
  writeFileSync(join(root, ".env"), "\uFEFFSECOND=file\n# words\nFIRST=file\n");
  const { stdout } = await execute(process.execPath, [join(root, "scripts/run.mjs"), "ctl/main"], {
    cwd: tmpdir(),
    env: { ...process.env, FIRST: "environment", NODE_ENV: mode },
  });
  expect(stdout).toBe(told);
});

test("a .env that cannot be read is one line, and nothing starts", async () => {
  const root = builtProject('process.stdout.write("started");');
  mkdirSync(join(root, ".env"));
  const started = execute(process.execPath, [join(root, "scripts/run.mjs"), "ctl/main"], {
    env: { ...process.env, NODE_ENV: "production" },
  });
  await expect(started).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/cannot read \.env \(EISDIR\)\n$/),
  });
});
