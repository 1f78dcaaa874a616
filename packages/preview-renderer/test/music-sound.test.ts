import { describe, expect, test } from "vitest";
import type { Note } from "../src/music/score/score.js";
import { STYLES, type StyleName } from "../src/music/styles/styles.js";
import { isInScale } from "../src/music/theory.js";
import {
  centroid,
  decibels,
  heard,
  levels,
  loudnessOf,
  masteredSoundOf,
  monoOf,
  peak,
  pulseAt,
  rms,
  type Sound,
  shareBetween,
  soundOf,
  strokesPerSecond,
  track,
} from "./sound.js";

const styled = (style: StyleName, more: Record<string, string | number | boolean> = {}) =>
  track({ style_preset_id: style, make_instrumental: true, ...more });

const sounds = new Map<StyleName, Sound>();
/** The sound of a style, made once. */
function soundOfStyle(style: StyleName): Sound {
  const sound = sounds.get(style) ?? masteredSoundOf(styled(style).score);
  sounds.set(style, sound);
  return sound;
}

const isLead = ({ channel }: Note): boolean => channel === "lead";

describe("every style", () => {
  test.each(Object.keys(STYLES) as StyleName[])(
    "%s is as loud as the others, never clips, has no gap and no direct current",
    (style) => {
      const sound = soundOfStyle(style);
      const mono = monoOf(sound);
      expect(decibels(peak(sound))).toBeLessThanOrEqual(-2.5);
      expect(Math.abs(loudnessOf(sound) + 14)).toBeLessThan(1.5);
      expect(decibels(Math.min(...levels(mono, 0.5).slice(0, -6)))).toBeGreaterThan(-40);
      expect(Math.abs(mono.reduce((sum, sample) => sum + sample, 0) / mono.length)).toBeLessThan(1e-4);
      const sides = sound.left.map((sample, index) => sample - (sound.right[index] ?? 0));
      expect(decibels(rms(sides) / rms(mono))).toBeGreaterThan(-16);
    },
  );

  test("bright and dull styles sound so", () => {
    const [metal, pop, lofi, ambient] = (["metal", "pop", "lofi", "ambient"] as const).map((style) =>
      centroid(monoOf(soundOfStyle(style))),
    ) as [number, number, number, number];
    expect(metal).toBeGreaterThan(pop * 1.25);
    expect(pop).toBeGreaterThan(lofi * 1.25);
    expect(pop).toBeGreaterThan(ambient * 1.5);
  });

  test.each(["electronic", "metal", "rock"] as const)("the beat of %s is in the sound", (style) => {
    const { plan } = styled(style);
    const mono = monoOf(soundOfStyle(style));
    const beat = 60 / plan.bpm;
    expect(pulseAt(mono, beat)).toBeGreaterThan(0.2);
    expect(pulseAt(mono, beat)).toBeGreaterThan(2 * pulseAt(mono, beat * 1.37));
  });

  test("drums play where the style has them", () => {
    const withDrums = (style: StyleName): boolean => styled(style).score.hits.length > 0;
    expect((Object.keys(STYLES) as StyleName[]).filter((style) => !withDrums(style))).toEqual([
      "classical",
      "ambient",
    ]);
  });
});

describe("the words are heard", () => {
  test.each([
    ["быстрая весёлая песня", "медленная песня"],
    ["a fast song", "a slow sad song"],
  ])("%s is quicker than %s", (quick, slow) => {
    const [fast, late] = [quick, slow].map(
      (description) => track({ description, style_preset_id: "pop" }).plan.bpm,
    );
    expect(fast).toBeGreaterThan((late ?? 0) * 1.4);
  });

  test("a number of beats is kept and heard", () => {
    const { plan, score } = track({ description: "techno at 150 bpm", make_instrumental: true });
    expect(plan.bpm).toBe(150);
    expect(pulseAt(monoOf(soundOf(score)), 0.4)).toBeGreaterThan(0.2);
  });

  test("calm strikes less often than fierce", () => {
    const [calm, fierce] = ["спокойная песня у моря", "агрессивная песня у моря"].map((description) =>
      strokesPerSecond(monoOf(masteredSoundOf(track({ description, style_preset_id: "rock" }).score))),
    );
    expect(fierce).toBeGreaterThan((calm ?? 1) * 1.3);
  });

  test("without drums there are no drums, alone there is nothing else", () => {
    expect(track({ custom_style: "рок без барабанов" }).score.hits).toEqual([]);
    const { score } = track({ custom_style: "solo piano", make_instrumental: true });
    expect(new Set(score.notes.map(({ patch }) => patch))).toEqual(new Set(["piano"]));
    expect(score.hits).toEqual([]);
  });
});

describe("the weights are heard", () => {
  test("style_weight 0 is one plain band for all styles, 1 drives them apart", () => {
    const bright = (style: StyleName, style_weight: number): number =>
      centroid(monoOf(soundOf(styled(style, { style_weight }).score)));
    expect(bright("metal", 0) / bright("lofi", 0)).toBeCloseTo(1, 1);
    expect(bright("metal", 1) / bright("lofi", 1)).toBeGreaterThan(2);
    const tempi = [0, 0.3, 0.65, 1].map((style_weight) => styled("metal", { style_weight }).plan.bpm);
    expect(tempi).toEqual([...tempi].sort((first, second) => first - second));
    expect(tempi[0]).toBe(100);
  });

  test("weirdness_constraint brings more notes, and notes outside the scale", () => {
    const leads = [0, 0.3, 0.65, 1].map((weirdness_constraint) => {
      const { score, plan } = styled("pop", { weirdness_constraint });
      const notes = score.notes.filter(isLead);
      const odd = notes.filter(({ midi }) => !isInScale(plan.scale, plan.tonic, midi)).length;
      return { score, notes, odd: odd / notes.length };
    });
    const counts = leads.map(({ notes }) => notes.length);
    expect(counts).toEqual([...counts].sort((first, second) => first - second));
    expect(counts[3]).toBeGreaterThan((counts[0] ?? 0) * 2);
    expect(leads[0]?.odd).toBe(0);
    expect(leads[3]?.odd).toBeGreaterThan(0.08);
    const [plain, weird] = [leads[0], leads[3]].map((lead) =>
      lead ? strokesPerSecond(monoOf(soundOf(lead.score, { notes: lead.notes, hits: [] }))) : 0,
    );
    expect(weird).toBeGreaterThan((plain ?? 0) * 1.3);
  });

  test("audio_weight lifts the accompaniment over the melody", () => {
    const [low, high] = [0, 1].map((audio_weight) => {
      const { score } = styled("pop", { audio_weight });
      const lead = rms(monoOf(soundOf(score, { notes: score.notes.filter(isLead), hits: [] })));
      const rest = score.notes.filter((note) => !isLead(note));
      return {
        over: rms(monoOf(soundOf(score, { notes: rest }))) / lead,
        count: rest.length + score.hits.length,
      };
    });
    expect(decibels((high?.over ?? 0) / (low?.over ?? 1))).toBeGreaterThan(12);
    expect(high?.count).toBeGreaterThan((low?.count ?? 0) * 1.1);
  });
});

describe("the voice", () => {
  test("sings unless the song is instrumental, by the parameter or by the words", () => {
    expect(track().score.sung.length).toBeGreaterThan(5);
    expect(track({ make_instrumental: true }).score.sung).toEqual([]);
    expect(track({ custom_style: "джаз без вокала" }).score.sung).toEqual([]);
  });

  test("is heard between its formants", () => {
    const [sung, played] = [false, true].map((make_instrumental) =>
      shareBetween(monoOf(heard({ style_preset_id: "pop", make_instrumental })), 450, 3400),
    );
    expect(sung).toBeGreaterThan((played ?? 1) * 1.2);
  });

  test("the second track has another key, tempo and band", () => {
    const [first, second] = [0, 1].map((index) => track({ style_preset_id: "pop" }, 7, index).plan);
    expect(second?.tonic).not.toBe(first?.tonic);
    expect(Math.abs((second?.bpm ?? 0) - (first?.bpm ?? 0))).toBeGreaterThan(5);
    expect(second?.chords).not.toBe(first?.chords);
    expect(second?.lead).not.toBe(first?.lead);
  });
});
