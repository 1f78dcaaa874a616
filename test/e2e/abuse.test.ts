import { type ChildProcessByStdio, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { beginImageInGroup, toBot } from "../support/group.js";
import {
  ADMIN,
  ANN,
  BORIS,
  openSandbox,
  startTestService,
  type TestService,
  TOKEN,
} from "../support/service.js";

const ROOT = join(import.meta.dirname, "../..");

let service: TestService;
const chatter = (id: number, chat?: number) => new Chatter(service.sandbox.person(id), chat);

describe("what people and bad luck try", () => {
  beforeEach(async () => {
    service = await startTestService();
  });
  afterEach(() => service.close());

  test("a forwarded /credit, and one in reply to a forwarded message, credit nobody", async () => {
    const boris = chatter(BORIS.id);
    boris.say("/start");
    await boris.see("Здравствуйте");
    const { sandbox } = service;
    const from = { id: ADMIN.id, is_bot: false, first_name: "Vera", username: "vera", language_code: "en" };
    const chat = { id: ADMIN.id, type: "private", first_name: "Vera", username: "vera" };
    const date = Math.floor(Date.now() / 1000);
    const sender_user = { id: BORIS.id, is_bot: false, first_name: "Борис" };
    const forward_origin = { type: "user", date, sender_user };
    const entities = [{ type: "bot_command", offset: 0, length: 7 }];
    const vera = chatter(ADMIN.id);
    vera.say("/start");
    await vera.see("Hello");
    const text = `/credit ${BORIS.id} 5000`;
    sandbox.pushUpdate("message", { message_id: 9001, date, chat, from, text, entities, forward_origin });
    await vera.see("type it here yourself");
    const reply_to_message = { message_id: 9002, date, chat, from, text: "hi", forward_origin };
    sandbox.pushUpdate("message", {
      message_id: 9003,
      date,
      chat,
      from,
      text: "/credit 70",
      entities,
      reply_to_message,
    });
    await vera.see("Usage: /credit");
    expect([service.balanceOf(BORIS.id), service.balanceOf(ADMIN.id)]).toEqual([100, 100]);
  });

  test.each(["1 000", "1 000 for the prints", "12 500,50", "1\u00a0000"])(
    "an admin's %j is not taken for its first digits",
    async (amount) => {
      const boris = chatter(BORIS.id);
      boris.say("/start");
      await boris.see("Здравствуйте");
      const vera = chatter(ADMIN.id);
      vera.say(`/debit @boris ${amount}`);
      await vera.see("Usage: /debit");
      expect(service.balanceOf(BORIS.id)).toBe(100);
      vera.say("/debit @boris 10 2 films that failed");
      await vera.see("10\u00a0₽ taken");
      expect(service.balanceOf(BORIS.id)).toBe(90);
    },
  );

  test("a card whose edit was lost is drawn again by the next tap", async () => {
    const ann = chatter(ANN.id);
    ann.say("a mill");
    const card = await ann.seeButton("✅");
    service.sandbox.faults.add({ method: "editMessageText", answer: { type: "429", retryAfter: 40 } });
    await ann.person.tap(card, "Quality: 1K").answered();
    await service.sandbox.waitForCall("editMessageText", ({ status }) => status === 429);
    const stale = labelsOf(card).find((label) => label.startsWith("✅")) ?? "";
    await ann.person.tap(card, stale).answered();
    await ann.seeButton(/^• 1K · /);
    expect(service.balanceOf(ANN.id)).toBe(100);
  });

  test("nobody else answers a question about the language, or edits a card by a forged button", async () => {
    const { groupId } = service.sandbox;
    const ann = chatter(ANN.id, groupId);
    const boris = chatter(BORIS.id, groupId);
    ann.say(toBot(service, "/language"));
    const question = await ann.seeButton("Русский");
    const refused = await boris.person.tap(question, "Русский").answered();
    expect(refused).toMatchObject({ show_alert: true, text: expect.stringContaining("чужие кнопки") });
    boris.say(toBot(service, "/image"));
    const own = await boris.seeButton("Отмена");
    ann.say(toBot(service, "/image"));
    const card = await ann.seeButton("Cancel");
    const markup = own.reply_markup;
    const cancel =
      markup && "inline_keyboard" in markup ? markup.inline_keyboard.flat().at(-1)?.callback_data : "";
    await boris.person.tapData(card, cancel ?? "", groupId).answered();
    const after = service.sandbox.messages(groupId).find(({ message_id }) => message_id === card.message_id);
    expect(after && labelsOf(after)).toEqual(labelsOf(card));
  });

  test("a status edit that hangs keeps no delivery waiting", async () => {
    const ann = chatter(ANN.id);
    const held = service.sandbox.hold("editMessageText", ({ params }) => !("reply_markup" in params));
    for (const prompt of ["a first boat", "a second boat"]) {
      ann.say(prompt);
      await ann.press("✅", prompt);
      await ann.see(({ photo, caption }) => photo !== undefined && caption?.includes(prompt) === true);
    }
    held.release();
    await ann.see("Done");
  });

  test("one chat that floods the bot keeps nobody else waiting", async () => {
    const ann = chatter(ANN.id);
    const boris = chatter(BORIS.id);
    boris.say("/start");
    await boris.see("Здравствуйте");
    const held = service.sandbox.hold("sendMessage", ({ params }) => params.chat_id === ANN.id);
    for (let turn = 0; turn < 700; turn += 1) ann.say("/balance");
    await held.arrived();
    boris.say("/balance");
    await boris.see("Ваш баланс", boris.heard().at(-1)?.message_id);
    held.release();
    await ann.see("Your balance");
  });

  test("whoever floods a group fills only their own share: the tap of another there is paid", async () => {
    const { groupId } = service.sandbox;
    const ann = chatter(ANN.id, groupId);
    const boris = chatter(BORIS.id, groupId);
    await beginImageInGroup(service, ann, "a mill");
    const held = service.sandbox.hold("sendMessage");
    for (let turn = 0; turn < 120; turn += 1) boris.say(toBot(service, "/help"));
    await held.arrived();
    const dropped = () => service.lines.filter(({ msg }) => String(msg).includes("floods")).length;
    await eventually("the flood", () => dropped() === 20);
    const tap = await ann.press("✅");
    await tap.answered();
    held.release();
    await ann.see(({ photo }) => photo !== undefined);
    expect([service.balanceOf(ANN.id), dropped()]).toEqual([90, 20]);
  });

  test("the original survives a 429 and a broken connection", async () => {
    const ann = chatter(ANN.id);
    ann.say("a mill");
    await ann.press("✅");
    const photo = await ann.see(({ photo: sizes }) => sizes !== undefined);
    service.sandbox.faults.add({ method: "sendDocument", answer: { type: "429", retryAfter: 1 } });
    service.sandbox.faults.add({ method: "answerCallbackQuery", answer: { type: "reset" } });
    ann.person.tap(photo, "Original");
    await ann.see(({ document }) => document !== undefined);
  });

  test("invisible characters are no description", async () => {
    const ann = chatter(ANN.id);
    ann.say("/image");
    await ann.press("Nano Banana 2.1");
    ann.say("\u200b\u2060\u200b");
    await ann.see("There are no words in this message");
  });
});

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
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
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
    await quick.close();
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
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
  });

  test("takes a signal that comes twice for one, as npm and supervisors send it", async () => {
    const child = await spawnService({});
    const log = createInterface({ input: child.stdout });
    for await (const line of log) {
      if (line.includes("http listens")) break;
    }
    child.kill("SIGTERM");
    child.kill("SIGINT");
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
  });

  test("warns of links that lead nowhere", async () => {
    const nowhere = await startTestService({ environment: { PUBLIC_URL: "http://0.0.0.0:8080" } });
    expect(nowhere.lines).toContainEqual(
      expect.objectContaining({ level: 40, public_url: "http://0.0.0.0:8080" }),
    );
    await nowhere.close();
  });

  test("says in one line that its folder cannot be made", async () => {
    const said = await refusalToStart({ DATA_DIR: "/proc/nowhere/data" });
    expect(said).toMatch(/^DATA_DIR: \/proc\/nowhere\/data cannot be used .*\n$/);
  });

  test("says in one line that its folder is a file", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "atelier-file-")), "data");
    writeFileSync(file, "");
    expect(await refusalToStart({ DATA_DIR: file })).toBe(
      `DATA_DIR: ${file} cannot be used (${file} is a file, not a folder)\n`,
    );
  });

  test("says in one line which file is no database", async () => {
    const directory = mkdtempSync(join(tmpdir(), "atelier-broken-"));
    const file = join(directory, "atelier.db");
    writeFileSync(file, "nothing that SQLite could have written ".repeat(100));
    expect(await refusalToStart({ DATA_DIR: directory })).toBe(
      `DATA_DIR: ${file} cannot be used (file is not a database)\n`,
    );
  });

  test("says in one line that its port is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    const said = await refusalToStart({ HTTP_PORT: port });
    expect(said).toMatch(
      new RegExp(`^HTTP_HOST, HTTP_PORT: cannot listen .*EADDRINUSE.*127.0.0.1:${port}\\)\\n$`),
    );
  });

  test("says in one line what is wrong with its catalogue", async () => {
    const said = await refusalToStart({ CATALOGUE_FILE: "/no/such.json" });
    expect(said).toMatch(/^CATALOGUE_FILE: \/no\/such.json: cannot be read: ENOENT.*\n$/);
  });
});

interface SpawnTerms {
  environment?: Record<string, string>;
  /** Of Node itself. */
  options?: readonly string[];
  stdio?: StdioOptions;
}

/** The service as its users start it, with a database and a port of its own. */
async function spawnService(terms: SpawnTerms): Promise<ChildProcessByStdio<null, Readable, Readable>> {
  const { environment = {}, options = [], stdio = ["ignore", "pipe", "inherit"] } = terms;
  const own = {
    PATH: process.env.PATH ?? "",
    DATA_DIR: mkdtempSync(join(tmpdir(), "atelier-process-")),
    HTTP_PORT: String(await freePort()),
  };
  const env = { ...own, ...environment };
  const child = spawn(process.execPath, [...options, "dist/main.js"], { cwd: ROOT, env, stdio });
  return child as ChildProcessByStdio<null, Readable, Readable>;
}

/** What the service says on standard error when it does not start. */
async function refusalToStart(environment: Record<string, string>): Promise<string> {
  const quiet = { LOG_LEVEL: "silent", ...environment };
  const child = await spawnService({ environment: quiet, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(child, "close");
  expect(code).toBe(1);
  return said;
}
