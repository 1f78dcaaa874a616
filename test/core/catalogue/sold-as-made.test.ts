import { describe, expect, test } from "vitest";
import { findEntries, loadCatalogue } from "../../../src/catalogue/catalogue.js";
import { chooseProvider } from "../../../src/catalogue/choose-provider.js";
import { offeredModel } from "../../../src/catalogue/offered-catalogue.js";
import type { Model } from "../../../src/contract/model.js";
import { readRequest } from "../../../src/jobs/read-request.js";
import { createStubService } from "../../support/stub-provider.js";

const catalogue = loadCatalogue("data/catalogue.json");

function entryOf(key: string) {
  const [entry] = findEntries(catalogue, key);
  return entry ?? expect.fail(`no model ${key}`);
}

/** What is sold where these services are listed. */
function offered(key: string, ...services: string[]): Model {
  const { model, mappings } = entryOf(key);
  const taken = services.flatMap((name) => mappings[name] ?? expect.fail(`${name} does not make ${key}`));
  return offeredModel(model, taken) ?? expect.fail(`${key} is not sold`);
}

/** Who makes an order, and under which title. */
function madeBy(body: Record<string, unknown>, ...services: string[]): string {
  const { entry, request } = readRequest({ prompt: "a fox", ...body }, catalogue);
  const listed = services.map((name) => createStubService(name));
  const choice = chooseProvider(entry, request, listed);
  return choice && "provider" in choice ? `${choice.provider.name}: ${choice.title}` : "nobody";
}

describe("a name that is sold is made", () => {
  test.each([
    ["gpt-image-2-5", "GPT Image 2.5", ["fal", "kie", "polza", "openai", "replicate"]],
    ["nano-banana-2", "Nano Banana 2.1", ["fal", "kie", "polza", "replicate"]],
    ["seedream-5", "Seedream 5", ["fal", "kie"]],
    ["gemini-omni", "Gemini Omni Flash", ["fal"]],
    ["grok-imagine", "Grok Imagine 2.0", ["kie"]],
    ["veo-3-1", "Veo 3.1", ["kie"]],
    ["music:suno-v6", "Suno V6", ["kie"]],
    ["music:suno-v5", "Suno V6", ["kie"]],
    ["music:suno-v4-5", "Suno V6", ["kie"]],
  ])("%s as %s by each of its services", (key, title, services) => {
    expect(services.map((service) => offered(key, service).title)).toEqual(services.map(() => title));
  });

  test("an older version keeps its own name", () => {
    expect(offered("seedream-5", "replicate").title).toBe("Seedream 5 Lite");
    const picture = { type: "image", model_key: "seedream-5" };
    expect(madeBy(picture, "polza")).toBe("polza: Seedream 5");
    expect(madeBy({ ...picture, reference_urls: ["https://files.test/1.png"] }, "polza")).toBe(
      "polza: Seedream 5 Lite",
    );
  });
});

test("Gemini Omni is sold whole by fal alone", () => {
  expect(offered("gemini-omni", "fal")).toEqual(entryOf("gemini-omni").model);
});

describe("Kling 4 at fal, whose sound nobody can switch,", () => {
  const film = { type: "video", model_key: "kling-4" };

  test("has no sound to pay for", () => {
    const kling = offered("kling-4", "fal");
    expect(kling.parameters.sound).toBeNull();
    expect(kling).not.toHaveProperty("price_factors");
    expect(madeBy({ ...film, sound: true }, "fal")).toBe("nobody");
  });

  test("leaves orders with sound to those that make it, under their names", () => {
    expect(madeBy(film, "fal", "kie", "replicate")).toBe("fal: Kling 4.0");
    expect(madeBy({ ...film, sound: true }, "fal", "kie", "replicate")).toBe("kie: Kling 3.0");
    expect(madeBy({ ...film, sound: true }, "fal", "replicate")).toBe("replicate: Kling 3.0");
  });
});

test("ElevenLabs makes up to 300 s at Replicate, and a longer song goes to another service", () => {
  const song = { type: "music", model_key: "music:elevenlabs", description: "a calm song" };
  expect(offered("music:elevenlabs", "replicate").parameters.duration_sec?.max).toBe(300);
  expect(offered("music:elevenlabs", "replicate", "fal").parameters.duration_sec?.max).toBe(360);
  expect(madeBy({ ...song, duration_sec: 300 }, "replicate", "fal")).toMatch(/^replicate:/);
  expect(madeBy({ ...song, duration_sec: 301 }, "replicate", "fal")).toMatch(/^fal:/);
});

test("Z-Image is sold in 1K alone where 2K may be refused", () => {
  expect(offered("z-image-turbo", "replicate").parameters.resolution?.values).toEqual(["1K"]);
  const large = { type: "image", model_key: "z-image-turbo", resolution: "2K" };
  expect(madeBy(large, "replicate", "fal")).toBe("fal: Z-Image Turbo");
});

test("a picture of GPT Image 2.5 in its own shape is sold in 1K alone", () => {
  const picture = { type: "image", model_key: "gpt-image-2-5", aspect_ratio: "auto" };
  for (const service of ["fal", "polza", "openai", "replicate"]) {
    expect(madeBy(picture, service)).toBe(`${service}: GPT Image 2.5`);
    expect(madeBy({ ...picture, resolution: "4K" }, service)).toBe("nobody");
  }
});
