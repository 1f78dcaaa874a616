import { describe, expect, test } from "vitest";
import { type Brief, briefOf } from "../src/music/brief.js";
import { stanzasOf } from "../src/music/score/lyrics.js";
import { syllablesOf } from "../src/music/score/syllables.js";
import { voiceOf } from "../src/music/synth/patch-voice.js";
import { PATCHES, type PatchName, patchOf } from "../src/music/synth/patches.js";
import { SAMPLE_RATE } from "../src/music/synth/samples.js";
import { Singer } from "../src/music/synth/singer.js";
import { chordOf, hertzOf } from "../src/music/theory.js";
import { titleOf } from "../src/music/title.js";
import type { ParameterValue } from "../src/task.js";
import { songRequest, spectrum, track } from "./sound.js";

const brief = (parameters: Record<string, ParameterValue>): Brief => briefOf(songRequest(parameters));

describe("what is read in a request", () => {
  test.each<[Record<string, ParameterValue>, Partial<Brief>]>([
    [{ style_preset_id: "lofi" }, { style: "lofi" }],
    [{ style_preset_id: "lofi", custom_style: "тяжёлый метал" }, { style: "metal" }],
    [{ style_preset_id: "lofi", custom_style: "с душой" }, { style: "lofi" }],
    [{ description: "Рэп про ночной город" }, { style: "hip_hop" }],
    [{ description: "Dreamy synthwave, 90 BPM" }, { style: "electronic", bpm: 90 }],
    [{ description: "спокойная песня о доме" }, { style: "lofi" }],
    [{ description: "calm piano lullaby" }, { style: "classical", tempo: "slow", instruments: ["piano"] }],
    [{ description: "колыбельная для дочки" }, { style: "classical", tempo: "slow" }],
    [{ description: "спокойная музыка, рояль и скрипка" }, { style: "classical" }],
    [{ description: "calm lo-fi with piano" }, { style: "lofi" }],
    [{ custom_style: "вальс, аккордеон и скрипка" }, { isWaltz: true, instruments: ["accordion", "violin"] }],
    [{ custom_style: "piano and acoustic guitar" }, { instruments: ["piano", "nylon"] }],
    [{ custom_style: "solo piano" }, { isSolo: true, hasDrums: false }],
    [{ custom_style: "рок без барабанов" }, { hasDrums: false, style: "rock" }],
    [{ custom_style: "jazz, no vocals" }, { hasVoice: false }],
    [{ custom_style: "женский вокал" }, { voice: "high", hasVoice: true }],
    [{ description: "быстрая песня" }, { tempo: "fast" }],
    [{ description: "a slow ballad" }, { tempo: "slow", style: "folk" }],
    [{ description: "a bit of sunshine" }, { instruments: [] }],
    [
      { style_weight: 0.2, weirdness_constraint: 1, audio_weight: 0 },
      { styleWeight: 0.2, weirdness: 1, audioWeight: 0 },
    ],
    [{}, { styleWeight: 0.65, weirdness: 0.65, audioWeight: 0.65, hasVoice: true }],
  ])("%j", (parameters, read) => {
    expect(brief(parameters)).toMatchObject(read);
  });

  test("moods are read in both languages, from the lyrics where nothing else tells", () => {
    expect([...brief({ description: "грустная и спокойная песня" }).moods]).toEqual(["sad", "calm"]);
    expect([...brief({ description: "a happy romantic song" }).moods]).toEqual(["happy", "romantic"]);
    const lyrics = "My tears are falling down tonight";
    expect([...brief({ mode: "lyrics", lyrics, style_preset_id: "pop" }).moods]).toEqual(["sad"]);
  });

  test("a lullaby has no drums and is slow", () => {
    for (const description of ["calm piano lullaby", "тихая колыбельная"]) {
      const { plan } = track({ description });
      expect(plan.style.grooves).toEqual({ verse: {}, chorus: {} });
      expect(plan.bpm).toBeLessThan(90);
    }
  });

  test("a sad song is in a minor scale, a happy one in a major one", () => {
    const thirds = (description: string): Set<number | undefined> =>
      new Set([1, 2, 3, 4].map((seed) => chordOf(track({ description }, seed).plan.scale, "1", "triad")[1]));
    expect(thirds("очень грустная песня")).toEqual(new Set([3]));
    expect(thirds("очень весёлая песня")).toEqual(new Set([4]));
  });
});

describe("a title", () => {
  test.each([
    ["песня о море. И ещё о чём-то", "Песня о море"],
    ["[Verse 1]\nHello my friend,\nhow are you", "Hello my friend"],
    ["Весёлая песня про бабушкины пирожки, балалайка, женский голос", "Весёлая песня про бабушкины пирожки"],
    [`${"слово ".repeat(20)}`, "Слово слово слово слово слово слово"],
    ["a".repeat(80), `A${"a".repeat(39)}`],
    ["\u0007  \n", "Untitled"],
  ])("of %j", (subject, title) => {
    expect(titleOf({ title: undefined, subject }, 0, 1)).toBe(title);
    expect(titleOf({ title: undefined, subject }, 0, 2)).toBe(`1. ${title}`);
    expect(titleOf({ title: undefined, subject }, 1, 2)).toBe(`2. ${title}`);
    expect([...title].length).toBeLessThanOrEqual(40);
  });

  test("of a track stays within 120 characters, its number included", () => {
    const subject = "a song";
    const title = "🌊".repeat(120);
    expect(titleOf({ title, subject }, 0, 1)).toBe(title);
    expect(titleOf({ title, subject }, 1, 2)).toBe(`2. ${"🌊".repeat(117)}`);
  });
});

describe("lyrics", () => {
  test.each([
    ["Пой, моя душа", "o oa ua"],
    ["ёлка, объём, мышь", "oa oo y"],
    ["Hello, baby blue", "eo ai u"],
    ["love me tonight", "o e oi"],
    ["rhythm 7", "i a"],
    ["в лесу", "schwa eu"],
    ["星空", "e"],
    ["…", ""],
  ])("%s is sung on %s", (line, vowels) => {
    const words: string[] = [""];
    for (const { vowel, endsWord } of syllablesOf(line)) {
      words.push((words.pop() ?? "") + vowel);
      if (endsWord) words.push("");
    }
    expect(words.join(" ").trim()).toBe(vowels);
  });

  test("headers give stanzas their kind and are not sung", () => {
    const stanzas = stanzasOf(
      "[Verse 1]\nla la\nla\n\n[Припев]\nна на\n[Solo]\n[Bridge: softly]\nla\nOutro:\n(oh)",
    );
    expect(stanzas.map(({ kind, lines }) => [kind, lines.map((line) => line.length)])).toEqual([
      ["verse", [2, 1]],
      ["chorus", [2]],
      ["solo", []],
      ["bridge", [1]],
      ["outro", [1]],
    ]);
  });

  test("without headers the stanza that comes again is the chorus", () => {
    const kinds = stanzasOf("a\nb\n\nna na\n\nc\nd\n\nNa na").map(({ kind }) => kind);
    expect(kinds).toEqual(["verse", "chorus", "verse", "chorus"]);
    expect(stanzasOf("a\n\nb\n\nc").map(({ kind }) => kind)).toEqual(["verse", "chorus", "verse"]);
  });

  test("are sung in their order, no two syllables at once, inside the track", () => {
    const lyrics = "[Verse]\nOne two three four\nFive six seven\n[Chorus]\nAlleluia, alleluia";
    for (const duration_sec of [10, 30, 360]) {
      const { score, durationSec } = track({ mode: "lyrics", lyrics, style_preset_id: "pop", duration_sec });
      expect(score.sung.length).toBeGreaterThan(4);
      for (const [index, { at, seconds }] of score.sung.entries()) {
        expect(seconds).toBeGreaterThan(0.05);
        expect(at + seconds).toBeLessThanOrEqual((score.sung[index + 1]?.at ?? durationSec) + 1e-6);
      }
    }
  });

  test.each([
    ["lines", "Моя душа поёт\n".repeat(280)],
    ["brackets", "[".repeat(4000)],
    ["words", "а ".repeat(2000)],
  ])("of the largest length are read: %s", (_what, lyrics) => {
    const { durationSec } = track({ mode: "lyrics", lyrics, style_preset_id: "pop", duration_sec: 360 });
    expect(durationSec).toBeGreaterThan(0);
    expect(durationSec).toBeLessThanOrEqual(361);
  });
});

/** Hertz of the strongest frequency between two, between the bins by their neighbours. */
function strongest(samples: Float32Array, low: number, high: number): number {
  const power = spectrum(samples);
  const width = SAMPLE_RATE / 2 / power.length;
  let best = Math.ceil(low / width);
  for (let bin = best; bin * width < high; bin++) if ((power[bin] ?? 0) > (power[best] ?? 0)) best = bin;
  const [before, at, after] = [-1, 0, 1].map((away) => Math.log(power[best + away] ?? 1)) as [
    number,
    number,
    number,
  ];
  return (best + (before - after) / (2 * (before - 2 * at + after))) * width;
}

describe("an instrument", () => {
  test.each(Object.keys(PATCHES) as PatchName[])("%s is in tune", (name) => {
    for (const midi of [52, 69]) {
      const hertz = hertzOf(midi);
      const voice = voiceOf(patchOf(name), { hertz, seconds: 2, level: 0.8, seed: 5 });
      const [a, b] = [new Float32Array(40_960), new Float32Array(40_960)];
      voice.play(a, b, 0, a.length);
      // Detuned instruments are as much too low on the left as they are too high on the right.
      const sound = voice.isWide ? a.map((sample, index) => sample + (b[index] ?? 0)) : a;
      const heard = strongest(sound.subarray(8192), hertz * 0.9, hertz * 1.1);
      expect(Math.abs(1200 * Math.log2(heard / hertz))).toBeLessThan(22);
    }
  });
});

test.each([
  ["а", 730, 1120],
  ["и", 290, 2250],
  ["у", 310, 680],
  ["ы", 320, 1480],
  ["э", 500, 1850],
  ["ee", 290, 2250],
])("the singer's %s has its formants", (vowel, first, second) => {
  const [syllable] = syllablesOf(vowel);
  if (!syllable) throw new Error("no syllable");
  // A low note has harmonics everywhere.
  const singer = new Singer([{ at: 0, seconds: 1, midi: 40, level: 0.8, syllable }], false);
  const sound = new Float32Array(40_960);
  singer.sing(sound);
  const steady = sound.subarray(8192);
  expect(Math.abs(strongest(steady, 200, 900) - first)).toBeLessThan(100);
  expect(
    Math.abs(strongest(steady, Math.max(first + 200, second - 500), second + 400) - second),
  ).toBeLessThan(170);
});
