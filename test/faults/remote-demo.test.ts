import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startDemo } from "../support/demo.js";
import { eventually } from "../support/eventually.js";
import { newFolder } from "../support/new-folder.js";
import { childrenOf, environmentOf, isRunning } from "../support/processes.js";

const ANNA = 1001;

/** The demo with its two processes. */
async function startRemoteDemo(...more: string[]) {
  const demo = await startDemo(["--remote", ...more]);
  onTestFinished(() => demo.stop("SIGKILL"));
  const children = childrenOf(demo.pid);
  const bot = children.find((pid) => environmentOf(pid).includes("CORE=api"));
  const service = children.find((pid) => environmentOf(pid).includes("CORE=embedded"));
  if (bot === undefined || service === undefined) throw new Error("the demo has no two processes");
  const hasEnded = (pid: number) => eventually("the process has ended", () => !isRunning(pid));
  return { demo, bot, service, haveEnded: () => Promise.all([hasEnded(bot), hasEnded(service)]) };
}

const rootOf = (pid: number) =>
  environmentOf(pid)
    .find((one) => one.startsWith("DATA_DIR="))
    ?.replace(/^DATA_DIR=(.*)\/\w+$/, "$1") ?? "";

test("the bot of a remote demo answers with the balance of its service; Ctrl+C ends both, and leaves no files", async () => {
  const { demo, bot, haveEnded } = await startRemoteDemo();
  const root = rootOf(bot);
  expect(existsSync(root)).toBe(true);
  await fetch(`${demo.address}/chat/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ person: ANNA, chat: ANNA, text: "/balance" }),
  });
  await eventually("the bot answers", async () =>
    (await (await fetch(`${demo.address}/control/calls`)).text()).includes("balance you share"),
  );
  const stoppedAt = Date.now();
  await demo.stop("SIGINT");
  expect(await demo.exitCode).toBe(0);
  expect(Date.now() - stoppedAt).toBeLessThan(10_000);
  await haveEnded();
  expect(existsSync(root)).toBe(false);
}, 120_000);

test("a remote demo ends as a whole when its service dies", async () => {
  const { demo, service, haveEnded } = await startRemoteDemo();
  process.kill(service, "SIGKILL");
  expect(await demo.exitCode).toBe(1);
  await haveEnded();
}, 60_000);

test("a remote demo that is killed leaves no process, and --keep continues with its account", async () => {
  const keep = join(newFolder(), "demo");
  const { demo, haveEnded } = await startRemoteDemo("--keep", keep);
  const key = readFileSync(join(keep, "core-api.key"), "utf8");
  await demo.stop("SIGKILL");
  await haveEnded();
  const again = await startRemoteDemo("--keep", keep);
  expect(readFileSync(join(keep, "core-api.key"), "utf8")).toBe(key);
  await again.demo.stop("SIGTERM");
  expect(await again.demo.exitCode).toBe(0);
}, 120_000);
