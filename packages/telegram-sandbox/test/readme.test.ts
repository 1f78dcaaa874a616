import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";

const execute = promisify(execFile);
const ROOT = join(import.meta.dirname, "../../..");
const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
/** The files that the README shows, by name. */
const examples = new Map(
  [...readme.matchAll(/^```js\n\/\/ (\S+)\n(.*?)^```$/gms)].map(([, name = "", code = ""]) => [name, code]),
);
let archive: Buffer;

// What `npm pack` writes, without building again.
beforeAll(async () => {
  const scratch = mkdtempSync(join(tmpdir(), "sandbox-pack-"));
  const pack = ["pack", "--silent", "--ignore-scripts", "-w", "@atelier/telegram-sandbox"];
  const { stdout } = await execute("npm", [...pack, "--pack-destination", scratch], { cwd: ROOT });
  archive = readFileSync(join(scratch, stdout.trim()));
});

/** Another project: the examples, the packed sandbox, and what both need from a registry. */
async function anotherProject(): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), "other-bot-"));
  const project = join(scratch, "project");
  const installed = join(project, "node_modules/@atelier/telegram-sandbox");
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(scratch, "packed.tgz"), archive);
  await execute("tar", ["-xzf", join(scratch, "packed.tgz"), "-C", installed, "--strip-components=1"]);
  symlinkSync(join(ROOT, "node_modules"), join(scratch, "node_modules"));
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  for (const [name, code] of examples) writeFileSync(join(project, name), code);
  return project;
}

test.each([
  ["plain grammY", "bot"],
  ["no framework", "echo"],
])("another project tests its bot of %s with the packed sandbox, as the README shows", async (_how, name) => {
  const cwd = await anotherProject();
  const code = examples.get(`${name}.js`)?.split("\n") ?? [];
  expect(code.filter((line) => line !== "" && !line.startsWith("import ")).length).toBe(10);
  const { stdout } = await execute(process.execPath, ["--test", `${name}.test.js`], { cwd, timeout: 60_000 });
  expect(stdout).toMatch(/^ℹ pass 1$/m);
  expect(stdout).toMatch(/^ℹ fail 0$/m);
});
