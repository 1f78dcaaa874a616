import { once } from "node:events";
import { relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type RunningProgram, startProgram, withDirectory } from "../program.js";
import type { CalledFiles } from "../programs/coverage.js";
import { type Figure, say } from "../report.js";
import { BotApi } from "../server/bot-api.js";
import { Crowd } from "../server/crowd.js";
import { Gate } from "../server/gate.js";
import { ORDER } from "../server/script.js";
import { isUp } from "../service-state.js";

const SERVICE = fileURLToPath(new URL("../../../../dist/", import.meta.url));
/** What knows nothing of orders, and what is no part of the service. */
const LEFT_OUT = /^(?:platform|database|sandbox)\/|^\.\./;
const TIMING = { QUEUE_MS: "300", RUN_MS: "300" };
/** What a step leaves to be done behind its reply is no part of the way. */
const SETTLE_MS = 1000;

const POST_GOAL = 85;
const PICTURE_GOAL = 125;

interface Way {
  toPost: ReadonlySet<string>;
  toPicture: ReadonlySet<string>;
}

/** In how many files of the service a function is called by one order. With `--list` they are named. */
export async function measureWay(): Promise<Figure[]> {
  const { toPost, toPicture } = await withDirectory(wayOfAnOrder);
  if (process.argv.includes("--list")) {
    for (const file of [...toPost].sort()) say(`to the POST     ${file}`);
    for (const file of [...toPicture].filter((one) => !toPost.has(one)).sort())
      say(`to the picture  ${file}`);
  }
  return [
    figure("files that an order enters from ✅ to the POST at a service", toPost.size, POST_GOAL),
    figure("   the same to the picture in the chat", toPicture.size, PICTURE_GOAL),
  ];
}

function figure(what: string, files: number, goal: number): Figure {
  return { what, measured: String(files), goal: `≤ ${goal}`, isReached: files <= goal };
}

async function wayOfAnOrder(dataDir: string): Promise<Way> {
  const api = await BotApi.listen();
  const standIn = await startProgram("standIn", { environment: TIMING });
  await once(standIn.child, "message");
  const gate = await Gate.before(standIn.port);
  const service = await startProgram("service", {
    dataDir,
    apiRoot: api.root,
    nodeArguments: ["--import", new URL("../programs/coverage.js", import.meta.url).href],
    environment: { PROVIDERS: "fal", FAL_API_KEY: "stand-in", FAL_API_ROOT: gate.root },
  });
  while (!(await isUp(service))) await pause(50);
  const way = await follow(service, new Crowd(api, 1), api, gate);
  await service.stop();
  await standIn.stop();
  gate.close();
  api.close();
  return way;
}

async function follow(service: RunningProgram, person: Crowd, api: BotApi, gate: Gate): Promise<Way> {
  for (const step of ORDER.slice(0, -1)) await person.all(step);
  await pause(SETTLE_MS);
  const posted = new Promise<string[]>((resolve, reject) => {
    // The service waits for its answer meanwhile.
    gate.onPost = () => calledFiles(service).then(resolve, reject);
  });
  const sent = new Promise<string[]>((resolve, reject) => {
    api.events.onPhoto = () => void calledFiles(service).then(resolve, reject);
  });
  await calledFiles(service);
  // The reply to a payment has no buttons: nobody waits for it.
  for (const step of ORDER.slice(-1)) void person.all(step);
  const toPost = new Set(await posted);
  return { toPost, toPicture: new Set([...toPost, ...(await sent)]) };
}

/** The files of the service in which a function was called since this was last asked. */
async function calledFiles({ child }: RunningProgram): Promise<string[]> {
  const answered = once(child, "message") as Promise<[CalledFiles]>;
  child.send("called files");
  const [{ called }] = await answered;
  const files = called.filter((url) => url.startsWith("file:")).map((url) => fileURLToPath(url));
  return files.map((file) => relative(SERVICE, file)).filter((file) => !LEFT_OUT.test(file));
}
