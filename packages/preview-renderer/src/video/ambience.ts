import type { Random } from "../random.js";
import type { Scene } from "../words.js";
import { addNoise, type NoiseBed } from "./noise-bed.js";
import { SAMPLE_RATE, type Stereo } from "./sound-recorder.js";
import { addPad, addPluck, type Pitch } from "./tones.js";

/** The loudest sample: quiet, as a background is. */
const PEAK = 0.32;
const FADE_IN_SEC = 0.35;
const FADE_OUT_SEC = 0.6;
const CHORD_SEC = 3.2;

/** Chords as semitones above the root, which flow into each other. */
const PROGRESSIONS = {
  bright: [
    [0, 7, 12, 16],
    [-3, 4, 12, 16],
    [-7, 5, 9, 16],
    [-5, 2, 11, 14],
  ],
  dreamy: [
    [0, 7, 11, 16],
    [-3, 4, 9, 16],
    [-7, 5, 12, 16],
    [-3, 7, 9, 14],
  ],
  dark: [
    [0, 7, 12, 15],
    [-4, 3, 8, 15],
    [-9, 3, 10, 15],
    [-2, 5, 10, 14],
  ],
} as const;

type Feeling = keyof typeof PROGRESSIONS;

function feelingOf({ time, mood, weather }: Scene): Feeling {
  if (mood === "dark" || weather === "storm") return "dark";
  if (time === "night" || weather === "rain" || weather === "fog")
    return mood === "bright" ? "dreamy" : "dark";
  return time === "day" ? "bright" : "dreamy";
}

/** What is heard of a place and its weather. */
function bedsOf({ place, weather }: Scene): NoiseBed[] {
  const beds: NoiseBed[] = [];
  if (place === "sea") beds.push({ lowHz: 90, highHz: 1500, level: 0.5, swellSec: 5.2, depth: 0.85 });
  if (place === "lake") beds.push({ lowHz: 300, highHz: 1300, level: 0.16, swellSec: 2.7, depth: 0.6 });
  if (place === "city") beds.push({ lowHz: 40, highHz: 260, level: 0.3, swellSec: 7, depth: 0.35 });
  if (place === "space" || place === "moon")
    beds.push({ lowHz: 30, highHz: 140, level: 0.3, swellSec: 9, depth: 0.5 });
  if (place === "forest" || place === "meadow")
    beds.push({ lowHz: 500, highHz: 2600, level: 0.13, swellSec: 4.6, depth: 0.7 });
  if (place === "mountains" || place === "desert")
    beds.push({ lowHz: 150, highHz: 800, level: 0.3, swellSec: 6.1, depth: 0.8 });
  if (weather === "rain" || weather === "storm")
    beds.push({ lowHz: 1200, highHz: 7000, level: 0.26, swellSec: 8, depth: 0.2 });
  if (weather === "storm" || weather === "snow")
    beds.push({ lowHz: 180, highHz: 900, level: 0.3, swellSec: 3.9, depth: 0.85 });
  return beds;
}

/**
 * A quiet background that fits a scene: a pad of slow chords, the noises of the place and its weather, and
 * now and then a note, a bird or a cricket. Its length is exactly that of the film.
 */
export function ambience(scene: Scene, durationSec: number, random: Random): Stereo {
  const length = Math.round(durationSec * SAMPLE_RATE);
  const sound: Stereo = [new Float32Array(length), new Float32Array(length)];
  const root = 48 + random.whole(-4, 5);
  const progression = PROGRESSIONS[feelingOf(scene)];
  const count = Math.ceil(durationSec / CHORD_SEC);
  for (let index = 0; index < count; index++) {
    const chord = progression[index % progression.length] ?? progression[0];
    const span = { startSec: index * CHORD_SEC, lengthSec: CHORD_SEC };
    for (const step of chord) addPad(sound, span, root + step, 0.075, random);
    for (const pitch of notesOf(scene, chord, random)) {
      const startSec = span.startSec + random.next() * CHORD_SEC;
      addPluck(sound, startSec, { ...pitch, midi: pitch.midi + root }, random.between(-0.8, 0.8));
    }
  }
  for (const [index, bed] of bedsOf(scene).entries()) addNoise(sound, bed, random.fork(`bed${index}`));
  level(sound);
  return sound;
}

/** The few notes that stand out of one chord: birds by day, crickets at night, else soft bells. */
function notesOf(scene: Scene, chord: readonly number[], random: Random): Pitch[] {
  const isOutdoors = scene.place === "forest" || scene.place === "meadow" || scene.place === "lake";
  const isQuiet = scene.weather === "clear" || scene.weather === "clouds";
  const notes: Pitch[] = [];
  if (isOutdoors && isQuiet && scene.season !== "winter") {
    const isNight = scene.time === "night";
    for (let index = random.whole(2, 4); index > 0; index--) {
      notes.push(
        isNight
          ? { midi: 62, glide: 0, lengthSec: 0.5, tremoloHz: 28, level: 0.035 }
          : {
              midi: random.whole(46, 54),
              glide: random.between(-5, 7),
              lengthSec: 0.16,
              tremoloHz: 13,
              level: 0.06,
            },
      );
    }
  }
  for (let index = random.whole(1, 3); index > 0; index--) {
    const step = chord[random.whole(0, chord.length - 1)] ?? 0;
    notes.push({ midi: step + 24, glide: 0, lengthSec: 2.2, tremoloHz: 0, level: 0.07 });
  }
  return notes;
}

/** Brings the sound to its loudness and lets it come and go softly. */
function level(sound: Stereo): void {
  let loudest = 1e-6;
  for (const channel of sound) for (const value of channel) loudest = Math.max(loudest, Math.abs(value));
  for (const channel of sound) {
    for (let index = 0; index < channel.length; index++) {
      const seconds = index / SAMPLE_RATE;
      const left = (channel.length - index) / SAMPLE_RATE;
      const fade = Math.min(1, seconds / FADE_IN_SEC, left / FADE_OUT_SEC);
      channel[index] = ((channel[index] ?? 0) * PEAK * fade) / loudest;
    }
  }
}
