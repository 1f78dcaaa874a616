import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { ENVIRONMENT, readConfig } from "../src/config.js";

const Container = z.object({
  build: z.literal("."),
  env_file: z.union([
    z.literal(".env"),
    z.tuple([z.object({ path: z.literal(".env"), required: z.literal(false) })]),
  ]),
  environment: z.record(z.string(), z.union([z.string(), z.number()]).transform(String)),
  ports: z.array(z.string().regex(/^127\.0\.0\.1:\d+:\d+$/)),
  volumes: z.array(z.string().regex(/^\w+:\/data$/)),
  depends_on: z.record(z.string(), z.object({ condition: z.literal("service_healthy") })).default({}),
  stop_grace_period: z.string().regex(/^\d+s$/),
});
const Compose = z.object({
  services: z.record(z.string(), Container),
  volumes: z.record(z.string(), z.null()),
});

/** What an operator may have in .env. */
const DOT_ENV = { BOT_TOKEN: `123456789:${"a".repeat(35)}`, ADMIN_IDS: "101", ALLOWED_USERS: "101,102" };
const FILES = ["compose.yaml", "compose.remote.yaml"];

function servicesOf(file: string, dotEnv: Readonly<Record<string, string>> = {}) {
  const text = readFileSync(join(import.meta.dirname, "..", file), "utf8");
  const { services, volumes } = Compose.parse(parse(text, { merge: true }));
  return Object.entries(services).map(([name, container]) => {
    const set = Object.entries(container.environment).map(([key, value]) => [key, filled(value, dotEnv)]);
    const environment: Record<string, string> = { ...DOT_ENV, ...dotEnv, ...Object.fromEntries(set) };
    return { name, container, volumes, environment };
  });
}

/** With the variables of .env, as compose fills them in: `${NAME:-default}`. */
function filled(value: string, dotEnv: Readonly<Record<string, string>>): string {
  return value.replace(/\$\{(\w+):-([^}]*)\}/g, (_all, name: string, other: string) => dotEnv[name] || other);
}

function serviceOf(file: string, wanted: string, dotEnv?: Record<string, string>) {
  const found = servicesOf(file, dotEnv).find(({ name }) => name === wanted);
  if (!found) throw new Error(`${file} has no ${wanted}`);
  return { ...found, ...readConfig(found.environment) };
}

describe.each(FILES)("%s", (file) => {
  test("sets only variables that the service reads", () => {
    const known = new Set(ENVIRONMENT.map(({ name }) => name));
    const names = servicesOf(file).flatMap(({ container }) => Object.keys(container.environment));
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  test("publishes the port that is listened on, keeps each DATA_DIR in a volume of its own, and waits", () => {
    const all = servicesOf(file, { CORE_API_KEY: "key" });
    for (const { container, volumes, environment } of all) {
      const { config } = readConfig(environment);
      expect(container.ports.map((port) => port.split(":").at(-1))).toEqual([String(config.httpPort)]);
      expect(config).toMatchObject({ httpHost: "0.0.0.0", dataDir: "/data" });
      expect(container.volumes.map((one) => one.split(":")[0]).every((one) => one && one in volumes)).toBe(
        true,
      );
      expect(Number.parseInt(container.stop_grace_period, 10)).toBeGreaterThan(10);
    }
    for (const own of ["ports", "volumes"] as const) {
      const values = all.flatMap(({ container }) => container[own]);
      expect(new Set(values).size).toBe(values.length);
    }
  });
});

test("a fresh clone without .env has a service that starts", () => {
  const [{ container } = { container: undefined }] = servicesOf("compose.yaml");
  expect(container?.env_file).toEqual([{ path: ".env", required: false }]);
  expect(readConfig(container?.environment ?? {}).secrets.botToken).toBeUndefined();
});

describe("the two containers", () => {
  const FILE = "compose.remote.yaml";
  const KEY = { CORE_API_KEY: "key-of-the-account" };

  test("are a core without a bot, also before there is a key, and a bot that waits for it", () => {
    const core = serviceOf(FILE, "core");
    expect(core.config.core).toBe("embedded");
    expect(core.secrets).toMatchObject({ botToken: undefined, coreApiKey: undefined });
    const bot = serviceOf(FILE, "bot", KEY);
    expect(bot.config).toMatchObject({
      core: "api",
      coreUrl: `http://core:${core.config.httpPort}/v1`,
      allowedUserIds: [101, 102],
    });
    expect(bot.secrets).toMatchObject({ botToken: DOT_ENV.BOT_TOKEN, coreApiKey: KEY.CORE_API_KEY });
    expect(Object.keys(bot.container.depends_on)).toEqual(["core"]);
  });

  test("reach each other's files, or go by the addresses of .env", () => {
    const core = serviceOf(FILE, "core");
    expect(core.config.publicUrl).toBe(`http://core:${core.config.httpPort}`);
    const addresses = { CORE_PUBLIC_URL: "https://api.example", BOT_PUBLIC_URL: "https://bot.example" };
    expect(serviceOf(FILE, "core", addresses).config.publicUrl).toBe("https://api.example");
    expect(serviceOf(FILE, "bot", { ...addresses, ...KEY }).config.publicUrl).toBe("https://bot.example");
  });
});

test("the one container is the whole service, or the bot in front of a service elsewhere", () => {
  expect(serviceOf("compose.yaml", "atelier").config.core).toBe("embedded");
  const elsewhere = { CORE: "api", CORE_URL: "https://api.example/v1", CORE_API_KEY: "key" };
  expect(serviceOf("compose.yaml", "atelier", elsewhere).config).toMatchObject({
    core: "api",
    coreUrl: "https://api.example/v1",
  });
});
