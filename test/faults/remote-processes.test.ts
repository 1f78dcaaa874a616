import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { installAccounts } from "../support/api-accounts.js";
import { Chatter } from "../support/chatter.js";
import { ChildService } from "../support/child-service.js";
import { eventually } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { ctl, Program } from "../support/program.js";
import { ANN, openSandbox, TOKEN } from "../support/service.js";

const RUBLES = 1000;
const MIME = { image: "image/webp", video: "video/mp4", music: "audio/mpeg" };

interface Job {
  job_id: number | string;
  type: keyof typeof MIME;
  status: string;
  cost_rub: number;
  result: { url: string; mime: string; tracks?: { url: string }[] } | null;
}
type Answer = Record<string, unknown>;

/** An account with money at a service, the bot as a program in front of it, and the chat. */
async function startBoth() {
  const coreDirectory = mkdtempSync(join(tmpdir(), "atelier-processes-core-"));
  const { keys } = await installAccounts(coreDirectory, 1, RUBLES);
  const [key = ""] = keys;
  const port = `${await freePort()}`;
  const ofCore = { DATA_DIR: coreDirectory, TEST_HTTP_PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` };
  const startCore = (environment = {}) => new ChildService({ ...ofCore, ...environment });
  let core = startCore({ TEST_HOLDS: "1" });
  const url = `http://127.0.0.1:${port}/v1`;
  const sandbox = await openSandbox();
  const botDirectory = mkdtempSync(join(tmpdir(), "atelier-processes-bot-"));
  const bot = new Program({
    CORE: "api",
    CORE_URL: url,
    CORE_API_KEY: key,
    ALLOWED_USERS: String(ANN.id),
    POLL_INTERVAL_MS: "100",
    BOT_TOKEN: TOKEN,
    TELEGRAM_API_ROOT: sandbox.url,
    DATA_DIR: botDirectory,
    HTTP_PORT: `${await freePort()}`,
  });
  onTestFinished(async () => {
    await Promise.all([bot.kill(), core.kill()]);
    await sandbox.close();
    sandbox.assertNoBreaches();
    rmSync(botDirectory, { recursive: true });
  });
  await Promise.all([core.ready(), bot.ready()]);
  const headers = { authorization: `Bearer ${key}` };
  const api = async (path: string, body?: object): Promise<Answer> => {
    const post = body && { method: "POST", body: JSON.stringify(body) };
    return (await (await fetch(`${url}${path}`, { headers, ...post })).json()) as Answer;
  };
  return {
    ann: new Chatter(sandbox.person(ANN.id)),
    api,
    ctl: (words: string) => ctl(words, { DATA_DIR: coreDirectory }),
    async killCore() {
      await core.kill();
      core = startCore();
      await core.ready();
    },
    /** The bytes of a file of the chat. */
    async bytesInChat(fileId: string | undefined): Promise<Buffer> {
      const asked = await fetch(`${sandbox.url}/bot${TOKEN}/getFile?file_id=${fileId}`);
      const { result } = (await asked.json()) as { result: { file_path: string } };
      return bytesAt(`${sandbox.url}/file/bot${TOKEN}/${result.file_path}`);
    },
  };
}
type World = Awaited<ReturnType<typeof startBoth>>;

async function bytesAt(url: string | undefined): Promise<Buffer> {
  return Buffer.from(await (await fetch(url ?? "")).arrayBuffer());
}

/** From the command through the card to an order that the chat shows as under way. */
async function order({ ann }: World, command: string, model: string): Promise<void> {
  const { message_id } = ann.say(command);
  await ann.choose(model);
  await ann.press(/^✅/);
  await ann.see(/Sent|In the queue|Generating|Filming|Composing/, message_id);
}

/** All jobs of the account. The contract has no list: ids are asked for one after the other. */
async function jobsOf({ api }: World): Promise<Job[]> {
  const candidates = [1, 2, 3, 4, 5, 6, 7].flatMap((n) => [n, `music_${n}`]);
  const answers = await Promise.all(candidates.map((id) => api(`/generations/${id}`)));
  return answers.flatMap(({ ok, job }) => (ok ? [job as Job] : []));
}

test("a picture, a video and a song cross two processes, whose core is killed while their jobs are open", async () => {
  const world = await startBoth();
  const { ann, api } = world;
  await order(world, "/image a red fox", "Nano Banana 2.1");
  await order(world, "/video a train in the snow", "Veo 3.1");
  await order(world, "/music a slow song about a train", "MiniMax Music");
  const barn = { type: "image", model_key: "z-image-turbo", prompt: "a barn" };
  const first = await api("/generations", barn);
  const open = await jobsOf(world);
  expect(open.map(({ type }) => type).sort()).toEqual(["image", "image", "music", "video"]);
  expect(open.filter(({ status }) => status === "done" || status === "error")).toEqual([]);
  expect(ann.photos()).toEqual([]);
  await world.killCore();
  const second = await api("/generations", barn);

  const { photo } = await ann.seePhoto();
  const { video } = await ann.see((message) => message.video !== undefined);
  const { audio } = await ann.see((message) => message.audio !== undefined);
  const jobs = await eventually("all jobs are done", async () => {
    const all = await jobsOf(world);
    return all.every(({ status }) => status === "done") && all;
  });

  // The chat has the files of the core, byte for byte.
  const shown = { image: photo?.at(-1), video, music: audio };
  const ofChat = jobs.filter(({ job_id }) => job_id !== first.job_id && job_id !== second.job_id);
  expect(ofChat.map(({ type }) => type).sort()).toEqual(["image", "music", "video"]);
  for (const { type, result } of ofChat) {
    expect(result?.mime).toBe(MIME[type]);
    const made = await bytesAt(result?.tracks?.[0]?.url ?? result?.url);
    expect(made.length).toBeGreaterThan(100);
    expect((await world.bytesInChat(shown[type]?.file_id)).equals(made), type).toBe(true);
  }
  await expectOneBalance(world, jobs);
});

/** One job an order, each paid once, and one balance at every door. */
async function expectOneBalance({ ann, api, ctl }: World, jobs: readonly Job[]): Promise<void> {
  expect(jobs).toHaveLength(5);
  const left = RUBLES - jobs.reduce((sum, { cost_rub }) => sum + cost_rub, 0);
  ann.say("/balance");
  const { text = "" } = await ann.see(/balance you share/);
  expect(text.split("\n", 1)[0]?.replace(/\D/g, "")).toBe(String(left));
  expect(await api("/balance")).toMatchObject({ balance: { amount: left } });
  const [account, ledger, stats] = await Promise.all([
    ctl("account show 1"),
    ctl("ledger verify"),
    ctl("stats"),
  ]);
  expect(account).toMatchObject([{ balance: left }]);
  expect(ledger).toMatchObject([{ accounts: 1, mismatches: 0 }]);
  expect(stats.reduce((sum, row) => sum + Number(row.jobs), 0)).toBe(jobs.length);
}
