import { describe, expect, it } from "vitest";
import { refusalOf, requestOf } from "./support.js";

const SUNO = { type: "music", model_key: "music:suno-v5", description: "a slow waltz" };
const LYRICS = "One two three, one two three, the night is young";
const SONG = { type: "music", model_key: "music:suno-v5", mode: "lyrics", lyrics: LYRICS };

it("a music request is completed with its model's defaults, in the catalogue's order", () => {
  expect(JSON.stringify(requestOf(SUNO))).toBe(
    JSON.stringify({
      type: "music",
      model_key: "music:suno-v5",
      mode: "description",
      description: "a slow waltz",
      make_instrumental: false,
      style_weight: 0.65,
      weirdness_constraint: 0.65,
      audio_weight: 0.65,
    }),
  );
});

describe("the texts", () => {
  it.each([
    ["title", 120],
    ["description", 1500],
    ["lyrics", 4000],
    ["custom_style", 700],
  ])("%s is trimmed and cut to %i code points", (name, max) => {
    const longest = "🎵".repeat(max);
    expect(requestOf({ ...SUNO, [name]: `  ${longest}x ` })[name]).toBe(longest);
    const cutAtSpace = `${"a".repeat(max - 1)} b`;
    expect(requestOf({ ...SUNO, [name]: cutAtSpace })[name]).toBe("a".repeat(max - 1));
  });

  it.each([
    [undefined, "bad_music_description"],
    ["  seven77  ", "bad_music_description"],
    ["🎵".repeat(7), "bad_music_description"],
    [12_345_678, "bad_music_description"],
  ])("description %j is too short", (description, code) => {
    expect(refusalOf({ ...SUNO, description })).toEqual({ code });
  });

  it("a description needs 8 code points, and lyrics need 20", () => {
    expect(requestOf({ ...SUNO, description: "🎵".repeat(8) }).description).toBe("🎵".repeat(8));
    const shortest = { ...SONG, custom_style: "pop", lyrics: "🎵".repeat(20) };
    expect(requestOf(shortest).lyrics).toBe("🎵".repeat(20));
    expect(refusalOf({ ...shortest, lyrics: "🎵".repeat(19) })).toEqual({ code: "bad_music_lyrics" });
    expect(refusalOf({ ...shortest, lyrics: undefined })).toEqual({ code: "bad_music_lyrics" });
  });

  it("an unknown mode means description", () => {
    expect(requestOf({ ...SUNO, mode: "karaoke" }).mode).toBe("description");
    expect(refusalOf({ ...SONG, mode: "karaoke" }).code).toBe("bad_music_description");
  });

  it("a prompt does not count as a description", () => {
    expect(refusalOf({ type: "music", prompt: "a slow waltz" }).code).toBe("bad_music_description");
  });
});

describe("the style", () => {
  it.each([[{}], [{ style_preset_id: "polka" }], [{ custom_style: 5 }], [{ custom_style: "  " }]])(
    "lyrics with %j have no style",
    (style) => {
      const { code, allowed } = refusalOf({ ...SONG, ...style });
      expect(code).toBe("bad_music_style");
      expect(allowed).toHaveLength(12);
    },
  );

  it.each([
    [{ style_preset_id: "hip_hop" }, { style_preset_id: "hip_hop" }],
    [{ stylePresetId: " jazz " }, { style_preset_id: "jazz" }],
    [{ custom_style: "polka" }, { custom_style: "polka" }],
    [{ customStyle: " polka " }, { custom_style: "polka" }],
    [{ custom_style: "polka", style_preset_id: "jazz" }, { custom_style: "polka" }],
    [{ custom_style: " ", style_preset_id: "jazz" }, { style_preset_id: "jazz" }],
    [{ custom_style: "polka", customStyle: "waltz" }, { custom_style: "polka" }],
  ])("%j becomes %j", (given, expected) => {
    const { custom_style, style_preset_id } = requestOf({ ...SONG, ...given });
    expect(JSON.parse(JSON.stringify({ custom_style, style_preset_id }))).toEqual(expected);
  });

  it("a description needs no style, and an unknown preset is omitted", () => {
    expect(requestOf({ ...SUNO, style_preset_id: "polka" })).toEqual(requestOf(SUNO));
  });
});

describe("the settings", () => {
  it.each([
    [undefined, 0.65],
    [0.333, 0.33],
    [0.666, 0.67],
    [-1, 0],
    [7, 1],
    [0, 0],
    ["0.5", 0.5],
    ["much", 0.65],
    [true, 0.65],
    [[1], 0.65],
  ])("weights of %j become %d", (given, weight) => {
    for (const [name, alias] of [
      ["style_weight", "styleWeight"],
      ["weirdness_constraint", "weirdnessConstraint"],
      ["audio_weight", "audioWeight"],
    ] as const) {
      expect(requestOf({ ...SUNO, [name]: given })[name]).toBe(weight);
      expect(requestOf({ ...SUNO, [alias]: given })[name]).toBe(weight);
      expect(requestOf({ ...SUNO, [alias]: given, [name]: 0.1 })[name]).toBe(0.1);
    }
  });

  it.each([
    [undefined, 20],
    [10, 10],
    [360, 360],
    ["45", 45],
    [9, 20],
    [361, 20],
    [30.5, 20],
    ["long", 20],
    [true, 20],
  ])("duration_sec %j of the model that supports it becomes %i", (given, seconds) => {
    const model = { ...SUNO, model_key: "elevenlabs" };
    expect(requestOf({ ...model, duration_sec: given }).duration_sec).toBe(seconds);
    expect(requestOf({ ...model, durationSec: given }).duration_sec).toBe(seconds);
    expect(requestOf({ ...SUNO, duration_sec: given })).not.toHaveProperty("duration_sec");
  });

  it.each([
    ["yes", true],
    ["0", false],
    ["perhaps", false],
  ])("make_instrumental %j is %s", (given, expected) => {
    expect(requestOf({ ...SUNO, make_instrumental: given }).make_instrumental).toBe(expected);
    expect(requestOf({ ...SUNO, makeInstrumental: given }).make_instrumental).toBe(expected);
  });
});
