import {
  type DrumName,
  type KitName,
  kitOf,
  type PatchName,
  SAMPLE_RATE,
  type Stereo,
  soundOf,
} from "./synth.js";

type Channel = "chords" | "bass" | "lead" | "pad";

/** Notes of an instrument that are struck at once. Times in seconds from the start of the track. */
export interface Note {
  at: number;
  seconds: number;
  midis: readonly number[];
  /** Strength, 0 to 1. */
  level: number;
  /** Position from -1, left, to 1, right. */
  pan: number;
  patch: PatchName;
  channel: Channel;
}

/** A stroke of a drum. */
export interface Hit {
  at: number;
  drum: DrumName;
  level: number;
}

/** What is played, and how it sounds together. */
export interface Score {
  seconds: number;
  /** Seconds at which the final fade begins. */
  fadeAt: number;
  notes: readonly Note[];
  hits: readonly Hit[];
  kit: KitName;
  gains: Readonly<Record<Channel | "drums", number>>;
  /** How much of the notes goes to the reverb, 0 to 1, and how long it rings. */
  reverb: number;
  reverbSeconds: number;
  /** What is higher is dulled, in hertz. */
  treble: number;
}

/** How much of each channel goes to the room. */
const ROOM: Readonly<Record<Channel | "drums", number>> = {
  chords: 0.8,
  bass: 0.05,
  lead: 1,
  pad: 1,
  drums: 0.35,
};
/** Sounds that are kept for the next note like them. */
const SOUNDS_KEPT_MAX = 200;
/** Plays a score: left and right, of one loudness for all scores, without clipping. */
export function played(score: Score): Stereo {
  const length = Math.round(score.seconds * SAMPLE_RATE);
  const out: Stereo = [new Float32Array(length), new Float32Array(length)];
  const room = new Float32Array(length);
  const sounds = new Map<string, Stereo>();
  for (const [index, note] of score.notes.entries()) {
    const { channel, pan, patch, midis, seconds, level } = note;
    // The same note comes again and again: three of each sound alive.
    const key = `${patch} ${midis} ${seconds.toFixed(3)} ${level.toFixed(2)} ${index % 3}`;
    const sound = sounds.get(key) ?? soundOf(patch, midis, { seconds, level, seed: index });
    if (sounds.size > SOUNDS_KEPT_MAX) sounds.clear();
    sounds.set(key, sound);
    const start = Math.max(0, Math.round(note.at * SAMPLE_RATE));
    const sides = panned(pan, score.gains[channel]);
    add(out, room, sound, start, sides, ROOM[channel] * score.reverb);
  }
  const kit = kitOf(score.kit);
  for (const { at, drum, level } of score.hits) {
    const { samples, pan } = kit[drum];
    const sides = panned(pan, level * score.gains.drums);
    const start = Math.max(0, Math.round(at * SAMPLE_RATE));
    add(out, room, [samples, samples], start, sides, ROOM.drums * score.reverb);
  }
  if (score.reverb > 0) addReverb(room, out, score.reverbSeconds);
  for (const side of out) finish(side, score);
  master(out);
  return out;
}

type Sides = readonly [left: number, right: number];

/** Equal loudness at every place between the sides. */
function panned(pan: number, level: number): Sides {
  const angle = ((pan + 1) * Math.PI) / 4;
  return [Math.cos(angle) * Math.SQRT2 * level, Math.sin(angle) * Math.SQRT2 * level];
}

function add(
  out: Stereo,
  room: Float32Array,
  [a, b]: Stereo,
  start: number,
  sides: Sides,
  share: number,
): void {
  const [left, right] = out;
  const end = Math.min(left.length, start + a.length);
  for (let i = start; i < end; i++) {
    const l = (a[i - start] ?? 0) * sides[0];
    const r = (b[i - start] ?? 0) * sides[1];
    left[i] = (left[i] ?? 0) + l;
    right[i] = (right[i] ?? 0) + r;
    room[i] = (room[i] ?? 0) + (l + r) * share;
  }
}

/** Lengths of the delay lines in milliseconds, without a common measure. */
const LINES_MS = [29.7, 37.1, 41.1, 43.7, 53.3, 59.9, 67.3, 71.9] as const;
const DIFFUSERS_MS = [4.7, 3.6, 12.7, 9.3] as const;
/** How much of the treble the walls give back. */
const TREBLE = 0.62;

/** Adds the answer of a room: eight delay lines that feed each other (Jot's feedback network, Householder matrix). */
function addReverb(input: Float32Array, [left, right]: Stereo, seconds: number): void {
  const lineOf = (ms: number) => ({
    samples: new Float32Array(Math.round((ms * SAMPLE_RATE) / 1000)),
    at: 0,
  });
  const diffusers = DIFFUSERS_MS.map(lineOf);
  const lines = LINES_MS.map((ms) => ({ ...lineOf(ms), gain: 10 ** ((-3 * ms) / 1000 / seconds), dull: 0 }));
  // A long answer piles up: every room is as loud as one of a second and a half.
  const level = 0.4 * Math.sqrt(1.5 / seconds);
  for (let i = 0; i < input.length; i++) {
    // Never quite silent: the smallest numbers are slow to reckon with.
    let dry = (input[i] ?? 0) + 1e-12;
    for (const line of diffusers) {
      const late = line.samples[line.at] ?? 0;
      const fed = dry - 0.62 * late;
      line.samples[line.at] = fed;
      line.at = line.at + 1 === line.samples.length ? 0 : line.at + 1;
      dry = late + 0.62 * fed;
    }
    let sum = 0;
    for (let n = 0; n < 8; n++) {
      const line = lines[n];
      if (!line) continue;
      line.dull += TREBLE * ((line.samples[line.at] ?? 0) - line.dull);
      sum += line.dull;
    }
    const shared = sum * 0.25;
    let even = 0;
    let uneven = 0;
    for (let n = 0; n < 8; n++) {
      const line = lines[n];
      if (!line) continue;
      line.samples[line.at] = dry + (line.dull - shared) * line.gain;
      line.at = line.at + 1 === line.samples.length ? 0 : line.at + 1;
      const signed = n & 2 ? -line.dull : line.dull;
      if (n & 1) uneven += signed;
      else even += signed;
    }
    left[i] = (left[i] ?? 0) + even * level;
    right[i] = (right[i] ?? 0) + uneven * level;
  }
}

/** Takes the direct current away, dulls what is too bright, and fades in and out, in place. */
function finish(side: Float32Array, { seconds, fadeAt, treble }: Score): void {
  const pole = 1 - (2 * Math.PI * 22) / SAMPLE_RATE;
  const share = treble < SAMPLE_RATE / 2.5 ? 1 - Math.exp((-2 * Math.PI * treble) / SAMPLE_RATE) : 1;
  let [before, out, soft] = [0, 0, 0];
  for (let i = 0; i < side.length; i++) {
    const sample = side[i] ?? 0;
    out = sample - before + pole * out;
    before = sample;
    soft += share * (out - soft);
    const time = i / SAMPLE_RATE;
    const rise = Math.min(1, time / 0.004);
    const left = time < fadeAt ? 1 : Math.max(0, (seconds - time) / (seconds - fadeAt));
    side[i] = soft * rise * Math.sin((left * Math.PI) / 2) ** 2;
  }
}

/** The mean strength of what is loud in every track. */
const LOUDNESS = 10 ** (-16.5 / 20);
/** The loudest sample: -2.6 dBFS, so that no decoder of the MP3 goes beyond -1. */
const CEILING = 0.74;
/** Nobody wants to hear the hiss of a song that is nearly silent. */
const GAIN_MAX = 30;
/** Samples that share one gain of the limiter. */
const CHUNK = 64;

/** Brings a track to the common loudness, peaks limited, in place. */
function master(out: Stereo): void {
  for (let pass = 0; pass < 2; pass++) {
    const strength = strengthOf(out);
    limit(out, strength > 0 ? Math.min(GAIN_MAX, LOUDNESS / strength) : 1);
  }
}

/** The mean strength of the louder half of a track's pieces of 400 ms, without what is too low to be heard as loud. */
function strengthOf([left, right]: Stereo): number {
  const piece = Math.round(SAMPLE_RATE * 0.4);
  const powers: number[] = [];
  for (const side of [left, right]) {
    let low = 0;
    for (let start = 0; start < side.length; start += piece) {
      const end = Math.min(side.length, start + piece);
      let sum = 0;
      for (let i = start; i < end; i++) {
        const sample = side[i] ?? 0;
        low += 0.012 * (sample - low);
        sum += (sample - low) ** 2;
      }
      powers.push(sum / piece);
    }
  }
  powers.sort((first, second) => second - first);
  const loud = powers.slice(0, Math.ceil(powers.length / 2));
  return Math.sqrt(loud.reduce((sum, power) => sum + power, 0) / Math.max(1, loud.length));
}

/** Multiplies by a gain, less where peaks would pass the ceiling: down before they come, up again after them. */
function limit([left, right]: Stereo, gain: number): void {
  const count = Math.ceil(left.length / CHUNK);
  const gains = new Float32Array(count + 1).fill(1);
  for (let chunk = 0; chunk < count; chunk++) {
    let peak = 0;
    for (let i = chunk * CHUNK; i < Math.min(left.length, (chunk + 1) * CHUNK); i++) {
      peak = Math.max(peak, Math.abs(left[i] ?? 0), Math.abs(right[i] ?? 0));
    }
    gains[chunk] = Math.min(1, CEILING / Math.max(1e-9, peak * gain));
  }
  const release = 1 - Math.exp(-CHUNK / (0.18 * SAMPLE_RATE));
  for (let chunk = count - 1; chunk >= 0; chunk--)
    gains[chunk] = Math.min(gains[chunk] ?? 1, (gains[chunk + 1] ?? 1) + 1 / 14);
  for (let chunk = 1, before = gains[0] ?? 1; chunk <= count; chunk++) {
    before = Math.min(gains[chunk] ?? 1, before + release * (1 - before));
    gains[chunk] = before;
  }
  for (let chunk = 0; chunk < count; chunk++) {
    const own = gains[chunk] ?? 1;
    const begin = Math.min(own, gains[chunk - 1] ?? own);
    const slope = (Math.min(own, gains[chunk + 1] ?? own) - begin) / CHUNK;
    for (let n = 0, i = chunk * CHUNK; n < CHUNK && i < left.length; n++, i++) {
      const now = gain * (begin + slope * n);
      left[i] = (left[i] ?? 0) * now;
      right[i] = (right[i] ?? 0) * now;
    }
  }
}
