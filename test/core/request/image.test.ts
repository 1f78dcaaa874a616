import { describe, expect, it } from "vitest";
import { link, refusalOf, requestOf } from "./support.js";

const GPT = { model_key: "gpt-image-2-5", prompt: "a cat" };

it("an image request is completed with its model's defaults, in the catalogue's order", () => {
  const request = requestOf(GPT);
  expect(JSON.stringify(request)).toBe(
    JSON.stringify({
      type: "image",
      model_key: "gpt-image-2-5",
      prompt: "a cat",
      aspect_ratio: "9:16",
      generation_mode: "fast",
      resolution: "1K",
      count: 1,
    }),
  );
});

describe("the prompt", () => {
  it.each([[undefined], [null], [""], [" \n\t "], [5], [["a"]], [{}], [true]])(
    "%j counts as missing",
    (prompt) => {
      expect(refusalOf({ prompt })).toEqual({ code: "prompt_required" });
    },
  );

  it("falls back to prompt_text when empty or missing, and takes precedence otherwise", () => {
    for (const prompt of [undefined, null, "", "  "]) {
      expect(requestOf({ prompt, prompt_text: " a dog " }).prompt).toBe("a dog");
    }
    expect(requestOf({ prompt: "a cat", prompt_text: "a dog" }).prompt).toBe("a cat");
  });

  it("is trimmed before it is counted, and counted in code points", () => {
    const longest = "🙂".repeat(20_000);
    expect(requestOf({ ...GPT, prompt: `  ${longest}\n` }).prompt).toBe(longest);
    expect(refusalOf({ ...GPT, prompt: `${longest}!` })).toEqual({ code: "prompt_too_long" });
  });

  it("has the limit of its model", () => {
    const z = { model_key: "z-image-turbo" };
    expect(refusalOf({ ...z, prompt: "a".repeat(2001) }).code).toBe("prompt_too_long");
    expect(requestOf({ ...z, prompt: "a".repeat(2000) }).prompt).toHaveLength(2000);
  });

  it("is well-formed: a lone surrogate is replaced", () => {
    expect(requestOf({ prompt: "a\ud83d b" }).prompt).toBe("a\ufffd b");
  });
});

describe("the enumerations", () => {
  it.each([["slow"], ["FAST"], [1], [{}], [false]])("generation_mode %j is rejected", (generation_mode) => {
    expect(refusalOf({ ...GPT, generation_mode })).toEqual({
      code: "bad_generation_mode",
      allowed: ["fast", "quality"],
    });
  });

  it("generation_mode is ignored on a model without modes", () => {
    const request = requestOf({ prompt: "a cat", generation_mode: "slow" });
    expect(request).not.toHaveProperty("generation_mode");
  });

  it.each([["5:4"], ["square"], [1], [["1:1"]]])("aspect_ratio %j is rejected", (aspect_ratio) => {
    const { code, allowed } = refusalOf({ ...GPT, aspect_ratio });
    expect(code).toBe("bad_aspect_ratio");
    expect(allowed).toHaveLength(13);
  });

  it("aspect_ratio may be named ratio, and `auto` stays `auto`", () => {
    expect(requestOf({ ...GPT, ratio: " 27:16 " }).aspect_ratio).toBe("27:16");
    expect(requestOf({ ...GPT, aspect_ratio: "", ratio: "auto" }).aspect_ratio).toBe("auto");
    expect(requestOf({ ...GPT, aspect_ratio: "1:1", ratio: "no" }).aspect_ratio).toBe("1:1");
    expect(refusalOf({ ...GPT, ratio: "no" }).code).toBe("bad_aspect_ratio");
  });

  it.each([["8K"], [2], [null], [["2K"]], [true]])("resolution %j becomes the default", (resolution) => {
    expect(requestOf({ ...GPT, resolution }).resolution).toBe("1K");
  });
});

it.each([
  [undefined, 1],
  [3, 3],
  [2.9, 2],
  [0, 1],
  [99, 4],
  [Number.POSITIVE_INFINITY, 4],
  [" 3.7 ", 3],
  ["1e2", 4],
  ["many", 1],
  ["0x3", 1],
  [true, 1],
  [[3], 1],
])("count %j becomes %i", (given, count) => {
  expect(requestOf({ ...GPT, count: given }).count).toBe(count);
});

describe("the references", () => {
  it("are cut to the model's limit before they are validated", () => {
    const links = Array.from({ length: 16 }, (_, index) => link(`${index}`));
    const tooMany = [...links, "http://localhost/", 5];
    expect(requestOf({ ...GPT, reference_urls: tooMany }).reference_urls).toEqual(links);
  });

  it.each([["https://a.example.com/1.png"], [5], [{}], [[5]], [[null]], [[""]], [[[link("a")]]]])(
    "%j are not an array of links",
    (reference_urls) => {
      expect(refusalOf({ ...GPT, reference_urls })).toEqual({ code: "bad_reference_url" });
    },
  );

  it.each([[null], [""], [" "], [[]]])("%j count as no references", (reference_urls) => {
    expect(requestOf({ ...GPT, reference_urls })).not.toHaveProperty("reference_urls");
  });
});
