import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";
import { ENVIRONMENT } from "../src/config.js";
import { runCommand } from "../src/ctl/run.js";

const DOCUMENTS = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...readdirSync("docs").map((name) => `docs/${name}`),
  ...readdirSync("docs/adr").map((name) => `docs/adr/${name}`),
  ...readdirSync("packages").map((name) => `packages/${name}/README.md`),
]
  .filter((path) => path.endsWith(".md"))
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));

/** Names that compose.yaml reads of the same file. */
const OF_COMPOSE = ["PUBLIC_HOST", "GRAFANA_PASSWORD"];
/** Names in examples that are not settings of the service: also an argument of the image, and one of a bot's project. */
const NOT_SETTINGS = [...OF_COMPOSE, "RENDERER", "KEY"];

interface CtlCommand {
  path: string;
  args: readonly string[];
  options: readonly string[];
}

/** Reads a command as the documents write it: `key create ACCOUNT_ID [--name N]`. */
function readCommand(line: string): CtlCommand {
  const withoutOptions = line.replace(/--[a-z]+ \[?[A-Z]+\]?/g, "");
  return {
    path: (/^[a-z ]+/.exec(line)?.[0] ?? "").trim(),
    args: [...withoutOptions.matchAll(/[A-Z_]{2,}/g)].map(String),
    options: [...line.matchAll(/--[a-z]+/g)].map(String).sort(),
  };
}

async function help(path: string): Promise<string> {
  let printed = "";
  const settings = () => {
    throw new Error("help needs no settings");
  };
  await runCommand({
    args: [...path.split(" ").filter(Boolean), "--help"],
    settings,
    out: (text) => {
      printed += text;
    },
    err: () => {},
  });
  return printed;
}

/** Returns all commands below a path, as the program's help tells them. */
async function commandsBelow(path: string): Promise<readonly CtlCommand[]> {
  const [before = "", list] = (await help(path)).split("\nCommands:\n");
  if (list !== undefined) {
    const names = [...list.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name = ""]) => name);
    const below = names.filter((name) => name !== "help").map((name) => commandsBelow(`${path} ${name}`));
    return (await Promise.all(below)).flat();
  }
  const usage = /^Usage: ctl.*$/m.exec(before)?.[0] ?? "";
  return [
    {
      path: path.trim(),
      args: [...usage.matchAll(/[A-Z_]{2,}/g)].map(String),
      options: [...before.matchAll(/^ {2}(--[a-z]+)/gm)].map(([, name = ""]) => name).sort(),
    },
  ];
}

const byPath = (a: CtlCommand, b: CtlCommand) => (a.path < b.path ? -1 : 1);

test("docs/commands.md lists the operator's commands as the program has them", async () => {
  const page = readFileSync("docs/commands.md", "utf8");
  const listed = [...page.matchAll(/^ {4}npm run ctl -- (.*)$/gm)].map(([, line = ""]) => readCommand(line));
  expect(listed.sort(byPath)).toEqual([...(await commandsBelow(""))].sort(byPath));
});

test("a command that the documents name is there", async () => {
  const ctl = await commandsBelow("");
  const scripts = Object.keys(JSON.parse(readFileSync("package.json", "utf8")).scripts);
  const unknown = DOCUMENTS.flatMap(({ path, text }) => {
    const runs = [...text.matchAll(/\bnpm run (?:--silent )?([\w:]+)(?: -- ([a-z]+(?: [a-z]+)?))?/g)];
    const spans = [...text.matchAll(/`ctl ([a-z]+(?: [a-z]+)?)/g)].map(([, command = ""]) => command);
    const commands = runs.flatMap(([, script, command]) => (script === "ctl" && command ? [command] : []));
    return [
      ...runs.map(([, script = ""]) => script).filter((script) => !scripts.includes(script)),
      ...[...commands, ...spans].filter((command) => !ctl.some((known) => isOf(known, command))),
    ].map((name) => `${path}: ${name}`);
  });
  expect(unknown).toEqual([]);
});

/** Whether words are a command, a family of commands, or a command with its first argument. */
function isOf({ path, args }: CtlCommand, words: string): boolean {
  return `${path} `.startsWith(`${words} `) || (args.length > 0 && words.startsWith(`${path} `));
}

test("a setting that the documents set is one of the service", () => {
  const names = new Set([...ENVIRONMENT.map(({ name }) => name), ...NOT_SETTINGS]);
  const set = DOCUMENTS.filter(({ path }) => !path.startsWith("packages/")).flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w$])([A-Z][A-Z_0-9]+)=/g)].map(([, name = ""]) => ({ path, name })),
  );
  expect(set.length).toBeGreaterThan(30);
  expect(set.filter(({ name }) => !names.has(name.replace(/_FILE$/, "")) && !names.has(name))).toEqual([]);
});

test(".env.example has every variable that the page about operating tells to set", () => {
  const page = DOCUMENTS.find(({ path }) => path === "docs/operating.md")?.text ?? "";
  const named = [...page.matchAll(/(?<![\w$-])([A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z]{4,})(?==|`|…)/g)];
  const known = new Set([...ENVIRONMENT.map(({ name }) => name), ...OF_COMPOSE]);
  const told = new Set(named.map(([, name = ""]) => name).filter((name) => known.has(name)));
  expect(told.size).toBeGreaterThan(20);
  const example = readFileSync(".env.example", "utf8");
  expect([...told].filter((name) => !example.includes(`\n#${name}=`))).toEqual([]);
});

test("a link of the documents leads to a file, and to a heading of it", () => {
  const links = DOCUMENTS.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)]
      .map(([, inline, listed]) => inline ?? listed ?? "")
      .filter((target) => !/^https?:/.test(target))
      .map((target) => ({ path, target })),
  );
  expect(links.length).toBeGreaterThan(60);
  expect(links.filter(({ path, target }) => !leads(path, target))).toEqual([]);
});

function leads(from: string, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? from : posix.join(posix.dirname(from), path);
  if (!existsSync(file)) return false;
  if (anchor === undefined) return true;
  const headings = [...readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm)];
  return headings.some(([, heading = ""]) => slugOf(heading) === anchor);
}

/** GitHub's way to name a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
