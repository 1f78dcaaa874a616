import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { openSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { createSandbox } from "@atelier/telegram-sandbox";
import { describe, expect, test } from "vitest";
import { offersFile } from "./core/offers/offers-file.js";
import { failedStart, spawnService } from "./support/built-service.js";
import { newFolder } from "./support/new-folder.js";
import { openSandbox, startTestService, TOKEN } from "./support/service.js";

/** Ends a process by a signal, which is no failure. */
async function stopped(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  child.kill(signal);
  expect(await once(child, "exit")).toEqual([0, null]);
}

describe("the process", () => {
  test("outlives a log that cannot be written", async () => {
    const sandbox = await createSandbox({ token: TOKEN });
    const full = openSync("/dev/full", "w");
    const environment = { BOT_TOKEN: TOKEN, TELEGRAM_API_ROOT: sandbox.url };
    const child = await spawnService({ environment, stdio: ["ignore", full, "inherit"] });
    await sandbox.waitForPoller();
    const ann = sandbox.person(1001);
    ann.sendText("/start");
    await ann.waitForMessage("Hello");
    await stopped(child);
    await sandbox.close();
  });

  test("stopped as soon as it polls, warns of nothing", async () => {
    const sandbox = await openSandbox();
    const held = sandbox.hold("setMyCommands");
    const quick = await startTestService({ sandbox });
    await held.arrived();
    await quick.stopService();
    expect(quick.lines.filter(({ level }) => Number(level) >= 40)).toEqual([]);
    held.release();
  });

  test("takes a signal that comes while the program is being loaded", async () => {
    // Tells, when the process begins to listen for the signal, whether its HTTP server had been loaded by then.
    const watch = `process.on("newListener", (name) => {
      if (name === "SIGTERM") console.log(process.moduleLoadList.includes("NativeModule http") ? "late" : "early");
    })`;
    const options = ["--import", `data:text/javascript,${encodeURIComponent(watch)}`];
    const child = await spawnService({ options });
    const [said] = await once(child.stdout, "data");
    expect(String(said)).toBe("early\n");
    await stopped(child);
  });

  test("takes a signal that comes twice for one, as npm and supervisors send it", async () => {
    const child = await spawnService({});
    const log = createInterface({ input: child.stdout });
    for await (const line of log) {
      if (line.includes("http listens")) break;
    }
    child.kill("SIGTERM");
    await stopped(child, "SIGINT");
  });

  test("reads the offers anew on SIGHUP, and goes on with the old ones where they are wrong", async () => {
    const { file, write } = offersFile({});
    const child = await spawnService({ environment: { OFFERS_FILE: file } });
    const log = createInterface({ input: child.stdout });
    const said: string[] = [];
    for await (const line of log) {
      const { msg, problem } = JSON.parse(line);
      if (msg === "service started") {
        write({ floor: -1 });
        child.kill("SIGHUP");
      }
      if (!msg.startsWith("offers")) continue;
      said.push(`${msg} ${problem ?? ""}`);
      if (said.length === 2) break;
      write({ floor: 1 });
      child.kill("SIGHUP");
    }
    expect(said).toEqual([
      expect.stringMatching(/^offers not read anew: .*floor: must be 0 or more$/),
      "offers read anew ",
    ]);
    await stopped(child);
  });

  test("has a warning of Node in its log, as the one about SOCKS proxies is", async () => {
    const sandbox = await openSandbox();
    const environment = {
      BOT_TOKEN: TOKEN,
      TELEGRAM_API_ROOT: sandbox.url,
      TELEGRAM_PROXY: "socks5://127.0.0.1:9",
    };
    const child = await spawnService({ environment, stdio: ["ignore", "pipe", "pipe"] });
    const errors = text(child.stderr);
    for await (const line of createInterface({ input: child.stdout }))
      if (JSON.parse(line).err?.message.startsWith("SOCKS5")) break;
    await stopped(child);
    expect(await errors).toBe("");
  });

  test("warns of links that lead nowhere", async () => {
    const nowhere = await startTestService({ environment: { PUBLIC_URL: "http://0.0.0.0:8080" } });
    expect(nowhere.lines).toContainEqual(
      expect.objectContaining({ level: 40, public_url: "http://0.0.0.0:8080" }),
    );
  });

  test.each<[string, () => Record<string, string>, RegExp]>([
    [
      "offers that are wrong",
      () => ({ OFFERS_FILE: offersFile({ models: { fox: {} } }).file }),
      /^OFFERS_FILE: .*offers.json: models.fox: the catalogue has no such model\n$/,
    ],
    [
      "a folder that cannot be made",
      () => ({ DATA_DIR: "/proc/nowhere/data" }),
      /^DATA_DIR: \/proc\/nowhere\/data cannot be used .*\n$/,
    ],
    [
      "a folder that is a file",
      () => ({ DATA_DIR: written("data", "") }),
      /^DATA_DIR: (\S+) cannot be used \(\1 is a file, not a folder\)\n$/,
    ],
    [
      "a file that is no database",
      () => ({
        DATA_DIR: dirname(written("atelier.db", "nothing that SQLite could have written ".repeat(100))),
      }),
      /^DATA_DIR: \S+\/atelier\.db cannot be used \(file is not a database\)\n$/,
    ],
    [
      "a catalogue that is not there",
      () => ({ CATALOGUE_FILE: "/no/such.json" }),
      /^CATALOGUE_FILE: \/no\/such.json: cannot be read: ENOENT.*\n$/,
    ],
  ])("does not start with %s, and says so in one line", async (_what, environment, said) => {
    expect(await refusalToStart(environment())).toMatch(said);
  });
});

/** A file with this name in a folder of its own. */
function written(name: string, content: string): string {
  const file = join(newFolder(), name);
  writeFileSync(file, content);
  return file;
}

/** What the service says on standard error when it does not start. */
async function refusalToStart(environment: Record<string, string>): Promise<string> {
  const quiet = { LOG_LEVEL: "silent", ...environment };
  const { code, stderr } = await failedStart(quiet);
  expect(code).toBe(1);
  return stderr;
}
