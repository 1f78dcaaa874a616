import { describe, expect, test } from "vitest";
import { allSecrets, ENVIRONMENT, readConfig, UPSTREAM_SERVICES } from "../src/config.js";
import { problemsOf } from "./support/config-problems.js";

const SECRET = "secret-key-0123456789";
const NAMES = Object.keys(UPSTREAM_SERVICES).filter((name) => !UPSTREAM_SERVICES[name]?.needsRoot);

test("providers keep their order, with the settings and keys of the named services alone", () => {
  const { config, secrets } = readConfig({
    PROVIDERS: "kie, local,fal",
    FAL_API_KEY: SECRET,
    FAL_API_ROOT: "http://127.0.0.1:9100/",
    FAL_CONCURRENCY: "40",
    KIE_API_KEY: "another-key",
    POLZA_API_KEY: "not named",
    POLZA_CONCURRENCY: "none",
  });
  expect(config.providers).toEqual(["kie", "local", "fal"]);
  expect(config.upstreams).toEqual({
    kie: { apiRoot: undefined, concurrency: undefined },
    fal: { apiRoot: "http://127.0.0.1:9100", concurrency: 40 },
  });
  expect(secrets.upstreamKeys).toEqual({ kie: "another-key", fal: SECRET });
  expect([config.upstreams, secrets.upstreamKeys].every(Object.isFrozen)).toBe(true);
});

describe.each(NAMES)("the service %s", (name) => {
  const prefix = UPSTREAM_SERVICES[name]?.prefix ?? "";

  test("stops the start without its key, in one line", () => {
    expect(problemsOf({ PROVIDERS: name })).toEqual([`${prefix}_API_KEY: must be set for ${name}`]);
  });

  test("starts without its key where none is sent, and reads none", () => {
    const given = { PROVIDERS: name, [`${prefix}_API_KEY_FILE`]: "/none/such" };
    const { config, secrets } = readConfig(given, { needsKeys: false });
    expect(config.providers).toEqual([name]);
    expect(secrets.upstreamKeys).toEqual({});
  });

  test("reports a wrong value once, and never its key", () => {
    expect(problemsOf({ PROVIDERS: name, [`${prefix}_API_KEY`]: "two words" })).toEqual([
      `${prefix}_API_KEY: must be one word, without spaces, in ASCII characters`,
    ]);
    const key = { PROVIDERS: name, [`${prefix}_API_KEY`]: SECRET };
    for (const [variable, value] of [
      ["API_ROOT", `https://host.example/v1${UPSTREAM_SERVICES[name]?.rootHasPath ? "?a=b" : ""}`],
      ["API_ROOT", "host.example"],
      ["CONCURRENCY", "0"],
    ] as const) {
      const problems = problemsOf({ ...key, [`${prefix}_${variable}`]: value });
      expect(problems).toEqual([expect.stringMatching(new RegExp(`^${prefix}_${variable}: must be `))]);
      expect(problems.join()).not.toContain(SECRET);
    }
  });
});

test("keys are among the secrets that the logger hides", () => {
  const { secrets } = readConfig({ PROVIDERS: "fal", FAL_API_KEY: SECRET, METRICS_TOKEN: "metrics" });
  expect(allSecrets(secrets).sort()).toEqual(["metrics", SECRET]);
});

describe.each([
  ["comfyui", "COMFYUI"],
  ["ace_step", "ACE_STEP"],
])("the operator's own %s", (name, prefix) => {
  const root = { PROVIDERS: name, [`${prefix}_API_ROOT`]: "http://gpu.internal:8188" };

  test("stops the start without its address, in one line", () => {
    expect(problemsOf({ PROVIDERS: name })).toEqual([`${prefix}_API_ROOT: must be set for ${name}`]);
  });

  test("may be called over http, without a key", () => {
    const { config, secrets } = readConfig({ ...root, [`${prefix}_CONCURRENCY`]: "3" });
    expect(config.upstreams).toEqual({ [name]: { apiRoot: "http://gpu.internal:8188", concurrency: 3 } });
    expect(secrets.upstreamKeys).toEqual({});
  });
});

test("ACE-Step may have a key; ComfyUI knows none", () => {
  const root = { PROVIDERS: "ace_step", ACE_STEP_API_ROOT: "http://gpu:8001" };
  expect(readConfig({ ...root, ACE_STEP_API_KEY: SECRET }).secrets.upstreamKeys).toEqual({
    ace_step: SECRET,
  });
  expect(ENVIRONMENT.map(({ name }) => name)).not.toContain("COMFYUI_API_KEY");
});

test("another Generation API needs its address, with the version prefix, and its key", () => {
  const { config, secrets } = readConfig({
    PROVIDERS: "generation_api",
    GENERATION_API_ROOT: "https://other.example/api/v1/",
    GENERATION_API_KEY: SECRET,
    GENERATION_API_CONCURRENCY: "7",
  });
  expect(config.upstreams).toEqual({
    generation_api: { apiRoot: "https://other.example/api/v1", concurrency: 7 },
  });
  expect(secrets.upstreamKeys).toEqual({ generation_api: SECRET });
  expect(problemsOf({ PROVIDERS: "generation_api" })).toEqual([
    "GENERATION_API_KEY: must be set for generation_api",
    "GENERATION_API_ROOT: must be set for generation_api",
  ]);
});
