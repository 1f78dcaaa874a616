import { join } from "node:path";
import type { TelegramMessage } from "@gramio/types";
import { expect, onTestFinished, test } from "vitest";
import { AcceptedSpool } from "../../src/bot/orders/accepted-spool.js";
import { installAccounts } from "../support/api-accounts.js";
import { Chatter, labelsOf } from "../support/chatter.js";
import { ChildService } from "../support/child-service.js";
import { eventually } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { newFolder } from "../support/new-folder.js";
import { startResetProxy } from "../support/reset-proxy.js";
import { ANN, startSandbox, TOKEN } from "../support/service.js";

/** Fewer kills than this would not be the promised test. */
const KILLS_MIN = 15;
/** When the process is killed after the tap, in ms, wherever it is then. */
const ANY_TIME_MS = [29, 149];
/** A repeat waits for a few seconds, and a core may take as long to start. */
const OUTCOME_MS = 60_000;
const NOT_CERTAIN = /isn’t certain whether/;
const TIMEOUT_MS = 120_000;

/** A bot and a core as two processes, a network between them, and a sandbox in front. */
async function startBoth() {
  const coreDirectory = newFolder();
  const dataDir = newFolder();
  const { keys, balanceOf } = await installAccounts(coreDirectory, 1, 10_000);
  const port = String(await freePort());
  const startCore = () =>
    new ChildService({
      DATA_DIR: coreDirectory,
      TEST_HTTP_PORT: port,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    });
  const proxy = await startResetProxy(`http://127.0.0.1:${port}/v1`);
  const sandbox = await startSandbox();
  const startBot = (environment: Record<string, string> = {}) =>
    new ChildService({
      CORE: "api",
      CORE_URL: proxy.url,
      CORE_API_KEY: keys[0] ?? "",
      ALLOWED_USERS: String(ANN.id),
      POLL_INTERVAL_MS: "100",
      BOT_TOKEN: TOKEN,
      TELEGRAM_API_ROOT: sandbox.url,
      DATA_DIR: dataDir,
      ...environment,
    });
  const world = {
    core: startCore(),
    bot: startBot(),
    proxy,
    sandbox,
    dataDir,
    ann: new Chatter(sandbox.person(ANN.id)),
    spent: () => 10_000 - balanceOf(1),
    async killCore() {
      await world.core.kill();
      world.core = startCore();
      await world.core.ready();
    },
    async restartBot(environment?: Record<string, string>) {
      world.bot = startBot(environment);
      await world.bot.ready();
    },
  };
  await Promise.all([world.core.ready(), world.bot.ready()]);
  onTestFinished(async () => void (await Promise.all([world.bot.kill(), world.core.kill()])));
  return world;
}
type World = Awaited<ReturnType<typeof startBoth>>;

/** Composes a card and taps its paying button. */
async function order({ ann, bot }: World, prompt: string, killAt: number): Promise<TelegramMessage> {
  ann.say(prompt);
  const card = await ann.seeButton("✅", prompt);
  await bot.arm(killAt);
  ann.person.tap(card, labelsOf(card).find((label) => label.startsWith("✅")) ?? "");
  return card;
}

/** Waits until the picture has come or the person reads that the outcome is not known. */
function outcome({ ann }: World, prompt: string, card: TelegramMessage): Promise<"delivered" | "uncertain"> {
  return eventually(
    `the outcome of ${prompt}`,
    () => {
      if (ann.photos().some(({ caption }) => caption?.includes(prompt))) return "delivered";
      const isTold = ann
        .heard()
        .some(({ message_id, text }) => message_id > card.message_id && NOT_CERTAIN.test(text ?? ""));
      return isTold && "uncertain";
    },
    OUTCOME_MS,
  );
}

const postsOf = ({ proxy }: World, prompt: string) =>
  proxy.bodies.filter((body) => body.includes(prompt)).length;

interface Moment {
  name: string;
  /** The fail point, or any time after the tap. */
  at: { point: number } | { ms: number };
  isRetentionHidden: boolean;
  /** The ids of the jobs are on the disk. */
  isWritten: boolean;
}

/**
 * Each fail point of the submission, each commit from there to the end of the job, and some other times. The delivery
 * that follows is the same for every job: `crash.test.ts` has it.
 */
function momentsOf(points: readonly string[]): Moment[] {
  const find = (name: string) => points.findIndex((point) => point.includes(name));
  const [from, to] = [find("order-claim"), find("commit:after:order-accept")];
  const written = find("commit:after:order-accept");
  const at = (point: number, isRetentionHidden: boolean): Moment => {
    const name = points[point] ?? "";
    return { name, at: { point }, isRetentionHidden, isWritten: point >= written };
  };
  const around = points.slice(from, to + 1).flatMap((name, index) => {
    const modes = name.includes("remote:") ? [true, false] : [index % 2 === 0];
    return modes.map((isHidden) => at(from + index, isHidden));
  });
  const rest = points.flatMap((name, point) =>
    name.startsWith("commit:") && point > to && point <= find("commit:after:order-finish")
      ? [at(point, point % 2 === 0)]
      : [],
  );
  const others = ANY_TIME_MS.map((ms, index) => {
    return { name: `${ms} ms`, at: { ms }, isRetentionHidden: index % 2 === 0, isWritten: false };
  });
  return [...around, ...rest, ...others];
}

test(
  "a bot killed at any moment around submit and poll sends each order once, and loses no accepted job",
  async () => {
    const world = await startBoth();
    const trial = await order(world, "a barn as a trial.", 0);
    expect(await outcome(world, "a barn as a trial.", trial)).toBe("delivered");
    await world.bot.passed("commit:after:final-status");
    const price = world.spent();
    const moments = momentsOf(world.bot.failPoints);
    expect(moments.length).toBeGreaterThanOrEqual(KILLS_MIN);

    const uncertain: string[] = [];
    for (const [index, { name, at, isRetentionHidden, isWritten }] of moments.entries()) {
      const prompt = `a barn in the snow, number ${index}.`;
      world.proxy.isRetentionHidden = isRetentionHidden;
      const card = await order(world, prompt, "point" in at ? at.point + 1 : 0);
      if ("ms" in at) setTimeout(() => void world.bot.kill(), at.ms);
      expect(await world.bot.ended, name).toBe("SIGKILL");
      await world.restartBot();
      const end = await outcome(world, prompt, card);
      if (end === "uncertain") uncertain.push(prompt);
      // Without idempotency a POST whose answer was not written is in doubt, and never sent again.
      if (isRetentionHidden) expect(postsOf(world, prompt), name).toBeLessThanOrEqual(1);
      if (!isRetentionHidden || isWritten) expect(end, name).toBe("delivered");
    }
    const delivered = moments.length + 1 - uncertain.length;
    const charged = world.spent() / price;
    expect(charged).toBeGreaterThanOrEqual(delivered);
    expect(charged).toBeLessThanOrEqual(
      delivered + uncertain.filter((prompt) => postsOf(world, prompt) > 0).length,
    );
  },
  TIMEOUT_MS,
);

test(
  "a core killed around a POST makes one job of an order where keys are honoured, and else gets one POST",
  async () => {
    const world = await startBoth();
    const { proxy } = world;
    const kills = [
      { moment: "arrived", isHidden: false },
      { moment: "answered", isHidden: false },
      { moment: "arrived", isHidden: true },
      { moment: "answered", isHidden: true },
    ];
    let price = Number.NaN;
    for (const [index, { moment, isHidden }] of kills.entries()) {
      const prompt = `a barn in the snow, number ${index}.`;
      proxy.isRetentionHidden = isHidden;
      const killed = new Promise<void>((resolve) => {
        let hasBegun = false;
        proxy.onPost = async (now) => {
          if (hasBegun || now !== moment) return;
          hasBegun = true;
          proxy.losing = moment === "answered" ? 1 : 0;
          await world.core.kill();
          void world.killCore().then(resolve);
        };
      });
      const card = await order(world, prompt, 0);
      await killed;
      expect(await outcome(world, prompt, card), prompt).toBe(isHidden ? "uncertain" : "delivered");
      expect(postsOf(world, prompt)).toBe(isHidden ? 1 : 2);
      if (index === 0) price = world.spent();
    }
    // Only the POST that arrived at no core, and was not repeated, made no job.
    expect(world.spent() / price).toBe(3);
    expect(proxy.bodies).toHaveLength(6);
  },
  TIMEOUT_MS,
);

test.each([
  ["order-claim", []],
  ["order-accept", [[1]]],
])(
  "an order whose %s has an unknown outcome is sent once, its job ids in the spool, and delivered after the next start",
  async (label, kept) => {
    const world = await startBoth();
    world.proxy.isRetentionHidden = true;
    await world.bot.kill();
    await world.restartBot({ TEST_UNKNOWN_COMMIT: label });
    const card = await order(world, "a barn.", 0);
    expect(await world.bot.exitCode).toBe(1);
    const spool = new AcceptedSpool(join(world.dataDir, "accepted-orders.spool"));
    expect(spool.read().kept.map(({ job_ids }) => job_ids)).toEqual(kept);
    await world.restartBot();
    expect(await outcome(world, "a barn.", card)).toBe("delivered");
    expect(postsOf(world, "a barn.")).toBe(1);
  },
);
