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
  healthcheck: z.object({
    test: z.tuple([z.literal("CMD"), z.literal("node"), z.literal("-e"), z.string()]),
  }),
  stop_grace_period: z.string().regex(/^\d+s$/),
});
/** A program of others, which starts only with its profile. */
const Helper = z.object({
  profiles: z.tuple([z.string()]),
  image: z.string().regex(/^[\w/]+:v?\d[\w.]*$/),
  command: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
});
const Compose = z.object({
  services: z.record(z.string(), z.union([Container, Helper])),
  volumes: z.record(z.string(), z.null()),
  secrets: z.record(z.string(), z.object({ environment: z.string() })).default({}),
  configs: z.record(z.string(), z.object({ content: z.string() })).default({}),
});

/** What an operator may have in .env. */
const DOT_ENV = { BOT_TOKEN: `123456789:${"a".repeat(35)}`, ADMIN_IDS: "101", ALLOWED_USERS: "101,102" };
const FILES = ["compose.yaml", "compose.remote.yaml"];

function read(file: string) {
  const text = readFileSync(join(import.meta.dirname, "..", file), "utf8");
  return Compose.parse(parse(text, { merge: true }));
}

/** Containers of the service itself. */
function servicesOf(file: string, dotEnv: Readonly<Record<string, string>> = {}) {
  const { services, volumes } = read(file);
  return Object.entries(services).flatMap(([name, container]) => {
    if (!("build" in container)) return [];
    const set = Object.entries(container.environment).map(([key, value]) => [key, filled(value, dotEnv)]);
    const environment: Record<string, string> = { ...DOT_ENV, ...dotEnv, ...Object.fromEntries(set) };
    return [{ name, container, volumes, environment }];
  });
}

/** With the variables of .env, as compose fills them in: `${NAME:-default}` and `${NAME:+if set}`, one in the other. */
function filled(value: string, dotEnv: Readonly<Record<string, string>>): string {
  const inner = /\$\{(\w+)(:[-+])?([^${}]*)\}/g;
  const next = value.replace(inner, (_all, name: string, how: string, other: string) => {
    const set = dotEnv[name] ?? "";
    if (how === ":+") return set && other;
    return set || other;
  });
  return next === value ? value : filled(next, dotEnv);
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
      // Of a form of images that keeps none.
      const [, , , check] = container.healthcheck.test;
      expect(check).toContain(`fetch('http://127.0.0.1:${config.httpPort}/healthz')`);
      expect(check).not.toContain("$");
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
  const set = Object.entries(container?.environment ?? {}).map(([name, value]) => [name, filled(value, {})]);
  expect(readConfig(Object.fromEntries(set)).secrets.botToken).toBeUndefined();
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

describe("the profiles of compose.yaml", () => {
  const { services, volumes, secrets, configs } = read("compose.yaml");
  const helpers = Object.entries(services).flatMap(([name, one]) =>
    "image" in one ? [{ name, ...one }] : [],
  );
  const named = (wanted: string) => {
    const found = helpers.find(({ name }) => name === wanted);
    if (!found) throw new Error(`no ${wanted}`);
    return found;
  };

  test("keep what they know in volumes", () => {
    for (const helper of helpers) {
      const kept = helper.volumes.map((one) => one.split(":")[0] ?? "").filter((one) => !one.startsWith("."));
      expect(kept).toEqual([helper.name]);
      expect(kept.every((one) => one in volumes)).toBe(true);
    }
  });

  test("open the ports of https to everybody, and none but these", () => {
    const open = helpers.flatMap(({ ports }) => ports.filter((port) => !port.startsWith("127.0.0.1:")));
    expect(open).toEqual(["80:80", "443:443", "443:443/udp"]);
  });

  test("serve PUBLIC_HOST in front of the service, whose links begin with it", () => {
    const dotEnv = { PUBLIC_HOST: "studio.example" };
    const { config } = serviceOf("compose.yaml", "atelier", dotEnv);
    expect(config).toMatchObject({ publicUrl: "https://studio.example", isProxyTrusted: true });
    const [, , , host, , target] = named("caddy").command.map((word) => filled(word, dotEnv));
    expect([host, target]).toEqual(["studio.example", `atelier:${config.httpPort}`]);
    const own = { ...dotEnv, PUBLIC_URL: "https://other.example", TRUST_PROXY: "false" };
    expect(serviceOf("compose.yaml", "atelier", own).config).toMatchObject({
      publicUrl: "https://other.example",
      isProxyTrusted: false,
    });
    expect(serviceOf("compose.yaml", "atelier").config.isProxyTrusted).toBe(false);
  });

  test("scrape the service with METRICS_TOKEN, and show Prometheus in Grafana", () => {
    expect(secrets).toEqual({ metrics_token: { environment: "METRICS_TOKEN" } });
    expect(ENVIRONMENT.map(({ name }) => name)).toContain("METRICS_TOKEN");
    const scrape = z.object({
      scrape_configs: z.tuple([
        z.object({
          metrics_path: z.literal("/metrics"),
          authorization: z.object({ credentials_file: z.literal("/run/secrets/metrics_token") }),
          static_configs: z.tuple([z.object({ targets: z.tuple([z.literal("atelier:8080")]) })]),
        }),
      ]),
    });
    const file = readFileSync(join(import.meta.dirname, "../docs/prometheus/prometheus.yml"), "utf8");
    expect(() => scrape.parse(parse(file))).not.toThrow();
    expect(named("prometheus").volumes).toContain("./docs/prometheus:/etc/prometheus:ro");
    const [folder] = named("grafana").volumes;
    const provisioned = Object.values(configs).map(({ content }) => parse(content) as unknown);
    expect(provisioned).toMatchObject([
      { datasources: [{ uid: "prometheus", url: "http://prometheus:9090" }] },
      { providers: [{ options: { path: folder?.split(":")[1] } }] },
    ]);
  });
});
