import { inspect } from "node:util";
import { expect, test } from "vitest";
import { buildTills } from "../src/build-service.js";
import { readConfig } from "../src/config.js";
import { nodeMediaDisk } from "../src/media/disk.js";
import { noModeration } from "../src/moderation/moderation.js";
import { noCipher } from "../src/platform/text-cipher.js";
import { NoticeQueue } from "../src/ports/operator-notices.js";
import { groundOf } from "./support/ground.js";
import { recordingLogger } from "./support/log.js";
import { openYookassaHarness } from "./support/yookassa.js";

const SHOP = { YOOKASSA_SHOP_ID: "100500", YOOKASSA_SECRET_KEY: "test_key" };

/** Builds the tills of a service with one open payment. */
async function build(environment: Record<string, string>) {
  const { buy, close, world, payments } = await openYookassaHarness();
  await buy();
  await close();
  const { logger, lines } = recordingLogger();
  const { config, secrets } = readConfig({ ...environment, LINK_SECRET: "0123456789abcdef0123456789abcdef" });
  const setup = {
    config,
    secrets,
    mediaDisk: nodeMediaDisk,
    cipher: noCipher,
    moderation: noModeration,
    notices: new NoticeQueue(),
  };
  const built = buildTills(groundOf({ ...world, logger }), setup, payments);
  return { ...built, lines };
}

test("without a shop's keys there is no till, and the start says how many payments are open", async () => {
  const { tills, lines, close } = await build({});
  expect(tills).toEqual([]);
  expect(lines).toMatchObject([{ till: "yookassa", open: 1 }]);
  await close();
});

test.each([
  ["yookassa", true],
  ["", false],
])(
  "with the keys and TILL=%s there is a till, which sells: %s, and shows its key to no log",
  async (till, isOn) => {
    const { tills, collector, close } = await build({ ...SHOP, TILL: till });
    expect(tills).toMatchObject([{ name: "yookassa", isOn }]);
    expect(inspect(tills, { depth: 3 })).not.toContain(SHOP.YOOKASSA_SECRET_KEY);
    expect(await collector()).toMatchObject([{ samples: [{ value: 1 }] }]);
    await close();
  },
);

test("an https PUBLIC_URL has an address for notifications, which is hard to guess and stays the same", async () => {
  const environment = { ...SHOP, TILL: "yookassa", PUBLIC_URL: "https://atelier.example" };
  const urls = [];
  for (let start = 1; start <= 2; start += 1) {
    const { lines, hooks, close } = await build(environment);
    urls.push(...lines.flatMap(({ url }) => (typeof url === "string" ? [url] : [])));
    // Nobody knows it, and nothing follows.
    for (const token of ["", "x", "0".repeat(43)]) hooks.take("yookassa", token, {});
    hooks.take("cash", "x", {});
    await close();
  }
  expect(urls[0]).toMatch(/^https:\/\/atelier\.example\/hooks\/tills\/yookassa\/[\w-]{43}$/);
  expect(new Set(urls).size).toBe(1);
  const { lines, close } = await build({ ...environment, PUBLIC_URL: "http://127.0.0.1:8080" });
  expect(lines.some(({ url }) => url !== undefined)).toBe(false);
  await close();
});
