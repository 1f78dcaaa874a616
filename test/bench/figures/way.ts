import { once } from "node:events";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Upstreams } from "@atelier/upstream-stand-ins";
import { Crowd } from "../crowd.js";
import { isUp, type RunningProgram, startProgram, withDirectory } from "../program.js";
import type { Ran } from "../programs/coverage.js";
import { atMost, type Figure, say } from "../report.js";
import { COMPOSE, OPEN_CARD, TAP_PAIR } from "../script.js";
import { startStandIn } from "../stand-in.js";

const SERVICE = fileURLToPath(new URL("../../../src/", import.meta.url));
const SOURCES = fileURLToPath(new URL("../../../../src/", import.meta.url));
/** What knows nothing of orders, and what is no part of the service. */
const LEFT_OUT = /^(?:platform|database)\/|^\.\./;
const ZOD = /\/node_modules\/zod\//;
const TIMING = { queueMs: 300, runMs: 300 };
/** What a step leaves to be done after its reply is no part of the way. */
const SETTLE_MS = 1000;
const AFTER_POST_MS = 300;
const AFTER_PICTURE_MS = 2500;
const AFTER_TAP_MS = 300;

/** What ran in the service on some part of a way. */
interface Counted {
  /** Files of the service, and how many functions of each were called. */
  files: ReadonlyMap<string, number>;
  calls: number;
  zod: number;
  commits: number;
  reads: number;
}

/**
 * What one order costs, the second one of a chat: from the tap on ✅ until shortly after the POST at a service, and on
 * until after the picture, with the timers that run meanwhile. With `--list` the files are named.
 */
export async function measureWay(): Promise<Figure[]> {
  const { toPost, toPicture, tap } = await withDirectory(wayOfAnOrder);
  if (process.argv.includes("--list")) {
    for (const file of [...toPost.files.keys()].sort()) say(`to the POST     ${file}`);
    for (const file of [...toPicture.files.keys()].filter((one) => !toPost.files.has(one)).sort())
      say(`to the picture  ${file}`);
  }
  return [
    ...figures("an order from ✅ to the POST", toPost, {
      files: 75,
      functions: 480,
      lines: 12_000,
      commits: 5,
      zod: 120,
    }),
    ...figures("an order from ✅ to the picture", toPicture, {
      files: 95,
      functions: 650,
      lines: 14_000,
      commits: 11,
      zod: 300,
    }),
    atMost("a tap on a value: own calls", tap.calls, 1200),
    atMost("   commits", tap.commits, 2),
    { what: "   reads", measured: String(tap.reads) },
    atMost("   calls in zod", tap.zod, 60),
  ];
}

type Goals = Record<"files" | "functions" | "lines" | "commits" | "zod", number>;

function figures(what: string, counted: Counted, goals: Goals): Figure[] {
  const functions = [...counted.files.values()].reduce((sum, count) => sum + count, 0);
  const lines = [...counted.files.keys()].reduce((sum, file) => sum + linesOf(file), 0);
  return [
    atMost(`${what}: files entered`, counted.files.size, goals.files),
    atMost("   functions run", functions, goals.functions),
    atMost("   lines of these files", lines, goals.lines),
    atMost("   commits", counted.commits, goals.commits),
    { what: "   reads", measured: String(counted.reads) },
    atMost("   calls in zod", counted.zod, goals.zod),
  ];
}

function linesOf(file: string): number {
  return readFileSync(`${SOURCES}${file.replace(/\.js$/, ".ts")}`, "utf8").split("\n").length - 1;
}

async function wayOfAnOrder(dataDir: string): Promise<Record<"toPost" | "toPicture" | "tap", Counted>> {
  const person = await Crowd.open(1);
  const standIn = await startStandIn(TIMING);
  const service = await startProgram("serviceInFiles", {
    dataDir,
    apiRoot: person.sandbox.url,
    nodeArguments: ["--import", new URL("../programs/coverage.js", import.meta.url).href],
    environment: standIn.environment(["fal", "kie"]),
  });
  await isUp(service);
  const ways = await follow(service, person, standIn);
  await service.stop();
  await standIn.close();
  await person.sandbox.close();
  return ways;
}

async function follow(service: RunningProgram, person: Crowd, standIn: Upstreams) {
  const order = async () => {
    const before = standIn.ledger.length;
    const posted = () => standIn.waitUntil(() => standIn.ledger.length > before);
    for (const step of COMPOSE) await person.all(step);
    await pause(SETTLE_MS);
    await whatRan(service);
    const sent = person.pay();
    await posted();
    await pause(AFTER_POST_MS);
    const first = await whatRan(service);
    await sent;
    await pause(AFTER_PICTURE_MS);
    return { toPost: counted([first]), toPicture: counted([first, await whatRan(service)]) };
  };
  await order();
  const ways = await order();
  for (const step of [...OPEN_CARD, ...TAP_PAIR, ...TAP_PAIR.slice(0, 1)]) await person.all(step);
  await pause(SETTLE_MS);
  await whatRan(service);
  for (const step of TAP_PAIR.slice(1)) await person.all(step);
  await pause(AFTER_TAP_MS);
  return { ...ways, tap: counted([await whatRan(service)]) };
}

async function whatRan({ child }: RunningProgram): Promise<Ran> {
  const answered = once(child, "message") as Promise<[Ran]>;
  child.send("what ran");
  const [answer] = await answered;
  return answer;
}

function counted(parts: readonly Ran[]): Counted {
  const files = new Map<string, number>();
  let calls = 0;
  let zod = 0;
  for (const [url, ran] of parts.flatMap((part) => Object.entries(part.files))) {
    if (ZOD.test(url)) zod += ran.calls;
    if (!url.startsWith("file:")) continue;
    const file = relative(SERVICE, fileURLToPath(url));
    if (file.startsWith("..")) continue;
    calls += ran.calls;
    if (!LEFT_OUT.test(file)) files.set(file, Math.max(files.get(file) ?? 0, ran.functions));
  }
  const sum = (name: "commits" | "reads") => parts.reduce((total, part) => total + part[name], 0);
  return { files, calls, zod, commits: sum("commits"), reads: sum("reads") };
}
