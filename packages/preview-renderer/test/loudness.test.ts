import { describe, expect, test } from "vitest";
import { SAMPLE_RATE } from "../src/music/synth/samples.js";
import { decibels, loudnessOf, masteredSoundOf, peak, type Sound, track } from "./sound.js";

/** A sine in the left channel, in parts of so many seconds and decibels below full scale. */
function sine(hertz: number, ...parts: readonly (readonly [seconds: number, decibels: number])[]): Sound {
  const gains = parts.flatMap(([seconds, level]) =>
    Array<number>(Math.round(seconds * SAMPLE_RATE)).fill(10 ** (level / 20)),
  );
  const left = Float32Array.from(
    gains,
    (gain, i) => gain * Math.sin((2 * Math.PI * hertz * i) / SAMPLE_RATE),
  );
  return { left, right: new Float32Array(left.length) };
}

const both = ({ left }: Sound): Sound => ({ left, right: left });

describe("the loudness meter", () => {
  test("reads -3.01 LUFS for a sine of 997 Hz at full scale in one channel", () => {
    expect(loudnessOf(sine(997, [5, 0]))).toBeCloseTo(-3.01, 1);
  });

  test.each([-23, -33])("reads a stereo sine of 1 kHz at %d dB as the same number of LUFS", (level) => {
    expect(loudnessOf(both(sine(1000, [10, level])))).toBeCloseTo(level, 1);
  });

  test("ignores passages much softer than the rest", () => {
    // The third signal of EBU Tech 3341.
    expect(loudnessOf(both(sine(1000, [10, -36], [30, -23], [10, -36])))).toBeCloseTo(-23, 1);
  });

  test("weights low sounds less and high ones more", () => {
    expect(loudnessOf(sine(40, [5, 0]))).toBeLessThan(-6);
    expect(loudnessOf(sine(8000, [5, 0]))).toBeGreaterThan(-0.5);
  });

  test("reads no loudness for silence", () => {
    expect(loudnessOf(sine(997, [0.2, 0]))).toBe(-Infinity);
    expect(loudnessOf({ left: new Float32Array(44_100), right: new Float32Array(44_100) })).toBe(-Infinity);
  });
});

describe("the loudness of tracks", () => {
  test.each([
    ["a calm lullaby, solo piano", {}],
    ["агрессивный металл с криком", {}],
    ["тихая колыбельная", { weirdness_constraint: 1 }],
    ["techno at 150 bpm", { make_instrumental: true }],
    ["solo guitar", { style_weight: 0 }],
    ["без барабанов, эмбиент", { audio_weight: 0 }],
    ["ария для голоса", { audio_weight: 1, style_preset_id: "classical" }],
  ])("is within 1.5 LU of -14 LUFS without clipping: %s", (description, parameters) => {
    const sound = masteredSoundOf(track({ description, ...parameters }).score);
    expect(Math.abs(loudnessOf(sound) + 14)).toBeLessThan(1.5);
    expect(decibels(peak(sound))).toBeLessThanOrEqual(-2.5);
  });
});
