/** Samples a second of every sound. */
export const SAMPLE_RATE = 44_100;
/** Samples between two looks at envelopes and vibrato. */
const STEP = 32;

/** Two channels of equally many samples from −1 to 1. */
export type Stereo = readonly [left: Float32Array, right: Float32Array];

/** A sustained or struck sound from wave tables. Times in seconds. */
interface TablePatch {
  kind: "table";
  /** Makes the patches equally loud. */
  gain: number;
  wave: WaveName;
  /** The wave it turns into within `darkens` seconds. */
  later?: WaveName;
  darkens?: number;
  attack: number;
  /** Time in which the note falls to `sustain` (to 37 % of the way); longer for low notes when it is 0. */
  decay: number;
  sustain: number;
  release: number;
  /** Oscillators, in turns left and right, and how far they are tuned up and down, in cents. */
  unison?: number;
  detune?: number;
  /** Depth in cents, at about 5.4 Hz, after a third of a second. */
  vibrato?: number;
  /** A low-pass that opens to `open` × the note's frequency and closes to `closed` × within `closes` seconds. */
  filter?: readonly [open: number, closed: number, closes: number, resonance: number];
  /** Breath or hammer: noise at the start, and all along. */
  chiff?: number;
  breath?: number;
  /** Semitones that the note falls at its start. */
  drop?: number;
}

/** A plucked string (Karplus and Strong, 1983). */
interface PluckPatch {
  kind: "pluck";
  gain: number;
  /** Hardness of the pick: 0 soft, 1 hard. */
  brightness: number;
  /** Seconds in which a note around 200 Hz falls by 60 dB. */
  rings: number;
  /** How much of the treble stays at each turn, 0 to 1. */
  clarity: number;
  /** Distortion of an amplifier. */
  drive?: number;
}

/** Two sines, one of which bends the other's phase (Chowning, 1973). */
interface FmPatch {
  kind: "fm";
  gain: number;
  ratio: number;
  index: number;
  /** Seconds in which the index, and the loudness, fall to 37 %. */
  indexDecay: number;
  decay: number;
  release: number;
}

type Patch = TablePatch | PluckPatch | FmPatch;

const BASE = { kind: "table", gain: 0.19, attack: 0.005, decay: 0.2, sustain: 1, release: 0.14 } as const;
const saw = { ...BASE, wave: "saw", unison: 2 } as const;
const bowed = { ...BASE, wave: "bowed", gain: 0.2, unison: 2 } as const;
const brass = { ...BASE, wave: "brassBright", later: "brassDark", darkens: 0.7 } as const;
const piano = {
  ...BASE,
  wave: "pianoBright",
  later: "pianoDark",
  darkens: 0.5,
  decay: 1.5,
  sustain: 0,
} as const;
const pluck = { kind: "pluck", gain: 0.6 } as const;
const bell = { kind: "fm", gain: 0.2, index: 1.5, indexDecay: 0.5, decay: 1.9, release: 0.16 } as const;

/** The instruments. */
const PATCHES = {
  piano: { ...piano, gain: 0.2, chiff: 0.05, unison: 2, detune: 2 },
  epiano: { ...bell, ratio: 1 },
  bells: { ...bell, ratio: 3.53, indexDecay: 0.9, decay: 1.7, release: 0.9 },
  celesta: { ...bell, ratio: 4, index: 0.7, indexDecay: 0.25, decay: 0.8, release: 0.4 },
  organ: { ...BASE, wave: "organ", attack: 0.012, release: 0.07, vibrato: 4 },
  strings: { ...bowed, attack: 0.16, release: 0.34, unison: 4, detune: 13, vibrato: 7 },
  cello: { ...bowed, attack: 0.09, release: 0.22, detune: 7, vibrato: 8 },
  violin: { ...BASE, wave: "violin", attack: 0.07, release: 0.16, vibrato: 20, breath: 0.012 },
  pad: { ...BASE, wave: "warm", gain: 0.33, attack: 0.7, release: 1.1, unison: 4, detune: 15 },
  choir: { ...BASE, wave: "choir", attack: 0.2, release: 0.6, unison: 4, detune: 17, vibrato: 11 },
  flute: { ...BASE, wave: "flute", attack: 0.05, vibrato: 13, breath: 0.05, chiff: 0.1 },
  brass: { ...brass, attack: 0.045, unison: 2, detune: 8, vibrato: 8 },
  sax: { ...BASE, wave: "reed", attack: 0.035, vibrato: 17, breath: 0.03, filter: [9, 4.5, 0.35, 0.8] },
  accordion: { ...BASE, wave: "accordion", attack: 0.04, release: 0.09, unison: 2, detune: 15 },
  harp: { ...pluck, brightness: 0.34, rings: 3.4, clarity: 0.62 },
  nylon: { ...pluck, brightness: 0.3, rings: 2.3, clarity: 0.5 },
  steel: { ...pluck, brightness: 0.62, rings: 3, clarity: 0.78 },
  electric: { ...pluck, brightness: 0.5, rings: 4.5, clarity: 0.68 },
  driven: { ...pluck, gain: 0.4, brightness: 0.75, rings: 7, clarity: 0.84, drive: 7 },
  /** The same with the palm on the strings. */
  muted: { ...pluck, gain: 0.42, brightness: 0.7, rings: 0.4, clarity: 0.6, drive: 7 },
  balalaika: { ...pluck, gain: 1, brightness: 0.85, rings: 0.8, clarity: 0.85 },
  /** A lead guitar whose amplifier never lets a note die. */
  shred: { ...saw, attack: 0.01, detune: 6, vibrato: 19, filter: [11, 7, 0.5, 1.2] },
  synth: { ...saw, attack: 0.008, detune: 11, vibrato: 9, filter: [14, 5, 0.25, 1.1] },
  supersaw: { ...saw, attack: 0.012, release: 0.18, unison: 4, detune: 22, filter: [18, 9, 0.4, 0.7] },
  blip: { ...saw, gain: 0.31, decay: 0.28, sustain: 0, detune: 9, filter: [16, 2, 0.09, 1.6] },
  chip: { ...BASE, wave: "square", release: 0.04, decay: 0.3, sustain: 0.6 },
  fingered: { ...pluck, brightness: 0.22, rings: 3.2, clarity: 0.42 },
  picked: { ...pluck, brightness: 0.5, rings: 4, clarity: 0.66 },
  upright: { ...pluck, gain: 0.68, brightness: 0.13, rings: 1.7, clarity: 0.3 },
  sawBass: { ...saw, unison: 1, gain: 0.29, decay: 0.6, sustain: 0.55, filter: [9, 3, 0.12, 1.3] },
  deepBass: { ...BASE, wave: "sine", gain: 0.28, decay: 1.1, sustain: 0.2, drop: 9, chiff: 0.03 },
} as const satisfies Record<string, Patch>;

export type PatchName = keyof typeof PATCHES;

/** What a voice is asked to play. */
interface Tone {
  hertz: number;
  /** How long the note is held, in seconds; its release comes after. */
  seconds: number;
  /** 0 to 1. */
  level: number;
  /** Makes two equal notes differ a little. */
  seed: number;
}

/** The sound of notes that are struck at once on one instrument. Both sides may be the same array. */
export function soundOf(name: PatchName, midis: readonly number[], tone: Omit<Tone, "hertz">): Stereo {
  const patch: Patch = PATCHES[name];
  const sounds = midis.map((midi, index): Stereo => {
    const own = { ...tone, hertz: 440 * 2 ** ((midi - 69) / 12), seed: tone.seed + index };
    if (patch.kind === "table") return tableSound(patch, own);
    const mono = patch.kind === "fm" ? fmSound(patch, own) : pluckSound(patch, own);
    return [mono, mono];
  });
  const [first, ...others] = sounds;
  if (!first) return [new Float32Array(0), new Float32Array(0)];
  if (others.length > 0) {
    for (const [side, channel] of first.entries()) {
      if (side === 1 && first[1] === first[0]) break;
      for (const other of others) addTo(channel, other[side === 0 ? 0 : 1]);
    }
  }
  if (patch.kind === "pluck" && patch.drive) overdrive(first[0], patch.drive, patch.gain);
  return first;
}

function addTo(out: Float32Array, other: Float32Array): void {
  const length = Math.min(out.length, other.length);
  for (let i = 0; i < length; i++) out[i] = (out[i] ?? 0) + (other[i] ?? 0);
}

/** An amplifier and its loudspeaker, in place. */
function overdrive(samples: Float32Array, drive: number, gain: number): void {
  const share = 1 - Math.exp((-2 * Math.PI * 4200) / SAMPLE_RATE);
  let [first, second, low] = [0, 0, 0];
  for (let i = 0; i < samples.length; i++) {
    const pushed = Math.tanh(((samples[i] ?? 0) * drive) / gain) * gain * 0.62;
    first += share * (pushed - first);
    second += share * (first - second);
    low += 0.012 * (second - low);
    samples[i] = second - low;
  }
}

/** The state after this one (xorshift), from anything but 0. */
function nextNoise(state: number): number {
  let next = state;
  next ^= next << 13;
  next ^= next >>> 17;
  return next ^ (next << 5);
}

/** Times a state it is a sample of -1 to 1. */
const NOISE_SCALE = 1 / 2 ** 31;

const TABLE_SIZE = 2048;
const MASK = TABLE_SIZE - 1;
const HARMONICS_MAX = 256;
const SINE = Float32Array.from({ length: TABLE_SIZE + 1 }, (_, i) =>
  Math.sin((2 * Math.PI * i) / TABLE_SIZE),
);

/** The strength of each harmonic, the first at index 0. */
function falling(power: number, count: number, shape: (n: number) => number = () => 1): readonly number[] {
  return Array.from({ length: count }, (_, index) => shape(index + 1) / (index + 1) ** power);
}

const bump = (n: number, at: number, width: number): number => Math.exp(-(((n - at) / width) ** 2));
const odd = (n: number): number => (n % 2 === 1 ? 1 : 0);

const RECIPES = {
  sine: [1],
  saw: falling(1, HARMONICS_MAX),
  square: falling(1, HARMONICS_MAX, odd),
  bowed: falling(1.35, 80, (n) => 1 + 0.8 * bump(n, 5, 2)),
  violin: falling(1.1, 70, (n) => 0.6 + bump(n, 3, 1.5) + 0.7 * bump(n, 9, 3)),
  warm: falling(1.9, 40),
  choir: falling(1.5, 24, (n) => 0.5 + 1.4 * bump(n, 2, 0.8) + 1.2 * bump(n, 4, 1)),
  pianoBright: falling(1.15, 30, (n) => (n % 8 === 0 ? 0.1 : 1) * Math.exp(-n / 18)),
  pianoDark: falling(2.4, 12),
  organ: [1, 0.8, 0.55, 0.45, 0, 0.3, 0, 0.35, 0, 0.1, 0, 0.12],
  flute: [1, 0.32, 0.14, 0.05, 0.02],
  brassBright: falling(0.75, 40, (n) => Math.exp(-n / 14)),
  brassDark: falling(1.8, 16),
  reed: falling(0.8, 48, (n) => (0.45 + 0.55 * odd(n)) * Math.exp(-n / 16)),
  accordion: falling(0.85, 60, (n) => Math.exp(-n / 20) * (0.8 + 0.8 * bump(n, 4, 2))),
} as const satisfies Record<string, readonly number[]>;

type WaveName = keyof typeof RECIPES;

const tables = new Map<string, Float32Array>();

/** One turn of a wave without harmonics that a note of so many hertz would fold back. Its strength is a sine's. */
function waveFor(name: WaveName, hertz: number): Float32Array {
  const room = (SAMPLE_RATE * 0.46) / hertz;
  const harmonics = Math.max(1, 2 ** Math.floor(Math.log2(Math.min(HARMONICS_MAX, room))));
  const key = `${name} ${harmonics}`;
  let samples = tables.get(key);
  if (samples) return samples;
  const recipe: readonly number[] = RECIPES[name];
  const power = recipe.reduce((sum, strength) => sum + strength * strength, 0);
  samples = new Float32Array(TABLE_SIZE + 1);
  for (const [index, strength] of recipe.slice(0, harmonics).entries()) {
    if (strength === 0) continue;
    const gain = strength / Math.sqrt(power);
    // Every second harmonic is turned half way, so that the peaks stay low.
    const start = index % 2 === 0 ? 0 : TABLE_SIZE / 2;
    for (let i = 0; i <= TABLE_SIZE; i++) {
      samples[i] = (samples[i] ?? 0) + gain * (SINE[(start + i * (index + 1)) & MASK] ?? 0);
    }
  }
  tables.set(key, samples);
  return samples;
}

/** Detuned oscillators with envelope, vibrato, noise and a low-pass. */
function tableSound(patch: TablePatch, tone: Tone): Stereo {
  const {
    attack,
    sustain,
    release,
    gain,
    drop = 0,
    vibrato = 0,
    unison = 1,
    detune = 0,
    darkens = 1,
  } = patch;
  const { hertz, level, seed } = tone;
  const decay = sustain > 0 ? patch.decay : patch.decay * Math.min(2, (261 / hertz) ** 0.6);
  const seconds = sustain > 0 ? tone.seconds : Math.min(tone.seconds, decay * 7);
  const length = Math.ceil((seconds + release) * SAMPLE_RATE);
  const left = new Float32Array(length);
  const right = unison > 1 ? new Float32Array(length) : left;
  const top = hertz * 2 ** (drop / 12);
  const wave = waveFor(patch.wave, top);
  const later = patch.later && waveFor(patch.later, top);
  const amplitudeAt = (time: number): number => {
    const at = Math.min(time, seconds);
    const rise = at < attack ? at / attack : sustain + (1 - sustain) * Math.exp((attack - at) / decay);
    const fall = time <= seconds ? 1 : Math.max(0, 1 - (time - seconds) / release) ** 2;
    return gain * level * rise * fall;
  };
  const share = 1 / Math.sqrt(Math.max(1, unison / 2));
  for (let voice = 0; voice < unison; voice++) {
    const away = unison === 1 ? 0 : (voice / (unison - 1)) * 2 - 1;
    const out = voice % 2 === 0 ? left : right;
    const pace = (hertz * 2 ** ((away * detune) / 1200) * TABLE_SIZE) / SAMPLE_RATE;
    let phase = unison === 1 ? 0 : ((seed * 0.37 + voice * 0.61) % 1) * TABLE_SIZE;
    let amplitude = 0;
    for (let from = 0; from < length; from += STEP) {
      const to = Math.min(length, from + STEP);
      const time = from / SAMPLE_RATE;
      const end = amplitudeAt(to / SAMPLE_RATE) * share;
      const slope = (end - amplitude) / (to - from);
      let bend = 1;
      if (vibrato > 0) {
        const depth = (vibrato / 1200) * Math.min(1, Math.max(0, (time - 0.15) * 3));
        bend *= 2 ** (depth * Math.sin(2 * Math.PI * 5.4 * time + seed));
      }
      if (drop > 0) bend *= 2 ** ((drop / 12) * Math.exp(-time * 45));
      const bright = later ? Math.exp(-time / darkens) * (0.35 + 0.65 * level) : 1;
      const step = pace * bend;
      for (let i = from; i < to; i++) {
        const at = phase | 0;
        const part = phase - at;
        const low = wave[at] ?? 0;
        let sample = low + part * ((wave[at + 1] ?? 0) - low);
        if (later) {
          const dark = later[at] ?? 0;
          const soft = dark + part * ((later[at + 1] ?? 0) - dark);
          sample = soft + bright * (sample - soft);
        }
        out[i] = (out[i] ?? 0) + sample * amplitude;
        amplitude += slope;
        phase += step;
        if (phase >= TABLE_SIZE) phase -= TABLE_SIZE;
      }
      amplitude = end;
    }
  }
  const sides = right === left ? [left] : [left, right];
  for (const side of sides) {
    if (patch.chiff || patch.breath) blow(side, patch, tone, amplitudeAt);
    if (patch.filter) lowPass(side, patch.filter, tone);
  }
  return [left, right];
}

/** Adds hammer and breath. */
function blow(
  out: Float32Array,
  { chiff = 0, breath = 0 }: TablePatch,
  { level, seed }: Tone,
  amplitudeAt: (time: number) => number,
): void {
  let state = Math.imul(seed + 1, 2654435761) | 1;
  let soft = 0;
  for (let from = 0; from < out.length; from += STEP) {
    const time = from / SAMPLE_RATE;
    const own = chiff * Math.exp(-time / 0.02) * level + breath * Math.min(1, amplitudeAt(time) * 2.5);
    if (own < 1e-5) continue;
    for (let i = from; i < Math.min(out.length, from + STEP); i++) {
      state = nextNoise(state);
      soft += 0.35 * (state * NOISE_SCALE - soft);
      out[i] = (out[i] ?? 0) + soft * own;
    }
  }
}

/** A state variable filter (Simper's form), in place. */
function lowPass(
  out: Float32Array,
  [open, closed, closes, resonance]: NonNullable<TablePatch["filter"]>,
  { hertz, level }: Tone,
): void {
  const k = 1 / Math.max(0.5, resonance);
  let [first, second] = [0, 0];
  for (let from = 0; from < out.length; from += STEP) {
    const wide = closed + (open - closed) * Math.exp(-from / SAMPLE_RATE / closes);
    const cutoff = Math.min(SAMPLE_RATE * 0.42, hertz * wide * (0.6 + 0.4 * level));
    const g = Math.tan((Math.PI * cutoff) / SAMPLE_RATE);
    const a1 = 1 / (1 + g * (g + k));
    for (let i = from; i < Math.min(out.length, from + STEP); i++) {
      const v3 = (out[i] ?? 0) - second;
      const v1 = a1 * (first + g * v3);
      const v2 = second + g * v1;
      first = 2 * v1 - first;
      second = 2 * v2 - second;
      out[i] = v2;
    }
  }
}

function fmSound({ ratio, index, indexDecay, gain, decay, release }: FmPatch, tone: Tone): Float32Array {
  const { hertz, seconds, level } = tone;
  const fade = decay * Math.min(1.6, (400 / hertz) ** 0.4);
  const length = Math.ceil((Math.min(seconds, fade * 7) + release) * SAMPLE_RATE);
  const out = new Float32Array(length);
  const step = (hertz * TABLE_SIZE) / SAMPLE_RATE;
  // High notes are bent less, so that nothing folds back.
  const depthMax = index * Math.min(1, 900 / hertz) * (0.3 + 0.7 * level) * (TABLE_SIZE / (2 * Math.PI));
  let [carrier, modulator, amplitude] = [0, 0, 0];
  for (let from = 0; from < length; from += STEP) {
    const to = Math.min(length, from + STEP);
    const time = to / SAMPLE_RATE;
    const fall = time <= seconds ? 1 : Math.max(0, 1 - (time - seconds) / release) ** 2;
    const end = gain * level * Math.min(1, time / 0.002) * Math.exp(-time / fade) * fall;
    const slope = (end - amplitude) / (to - from);
    const depth = depthMax * Math.exp(-from / SAMPLE_RATE / indexDecay);
    for (let i = from; i < to; i++) {
      const phase = carrier + depth * (SINE[modulator & MASK] ?? 0);
      const at = Math.floor(phase);
      const low = SINE[at & MASK] ?? 0;
      out[i] = amplitude * (low + (phase - at) * ((SINE[(at & MASK) + 1] ?? 0) - low));
      amplitude += slope;
      carrier += step;
      modulator += step * ratio;
    }
    carrier %= TABLE_SIZE;
    modulator %= TABLE_SIZE;
    amplitude = end;
  }
  return out;
}

/** Seconds in which a released string falls by 60 dB. */
const DAMPED_SECONDS = 0.14;

/** Noise that runs round a delay line and loses treble at each turn. */
function pluckSound({ brightness, rings, clarity, gain }: PluckPatch, tone: Tone): Float32Array {
  const { hertz, seconds, level, seed } = tone;
  const smooth = 0.5 * (1 - clarity);
  // The smoothing delays by its own share of a sample; an all-pass makes up the rest.
  const period = SAMPLE_RATE / hertz - smooth;
  const whole = Math.max(2, Math.floor(period - 0.1));
  const part = period - whole;
  const tuning = (1 - part) / (1 + part);
  const ringing = rings * Math.min(1.6, Math.max(0.25, (200 / hertz) ** 0.5));
  const line = stroke(whole, brightness * (0.6 + 0.4 * level), seed);
  const heldSeconds = Math.min(seconds, ringing * 1.2);
  const heldSamples = Math.round(heldSeconds * SAMPLE_RATE);
  const out = new Float32Array(heldSamples + Math.round(DAMPED_SECONDS * 1.3 * SAMPLE_RATE));
  const strength = gain * level;
  let loss = 10 ** (-3 / (ringing * hertz));
  let [position, before, tuned, tunedIn] = [0, 0, 0, 0];
  for (let i = 0; i < out.length; i++) {
    if (i === heldSamples) loss = 10 ** (-3 / (Math.min(ringing, DAMPED_SECONDS) * hertz));
    const sample = line[position] ?? 0;
    out[i] = sample * strength;
    const filtered = loss * (sample + smooth * (before - sample));
    before = sample;
    tuned = tuning * (filtered - tuned) + tunedIn;
    tunedIn = filtered;
    line[position] = tuned;
    position = position + 1 === whole ? 0 : position + 1;
  }
  return out;
}

/** The string just after the stroke: noise, softened as the pick is soft, without a mean. */
function stroke(length: number, brightness: number, seed: number): Float32Array {
  const line = new Float32Array(length);
  let state = (Math.imul(seed + 1, 2654435761) | 1) ^ length;
  let soft = 0;
  const share = 0.06 + 0.94 * brightness * brightness;
  for (let turn = 0; turn < 2; turn++) {
    for (let i = 0; i < length; i++) {
      state = nextNoise(state);
      soft += share * (state * NOISE_SCALE - soft);
      line[i] = soft;
    }
  }
  // The pick strikes at a sixth of the string.
  const shift = Math.max(1, Math.round(length * 0.17));
  const combed = line.map((value, i) => value - 0.7 * (line[(i + length - shift) % length] ?? 0));
  const mean = combed.reduce((sum, value) => sum + value, 0) / length;
  const power = Math.sqrt(combed.reduce((sum, value) => sum + (value - mean) ** 2, 0) / length) || 1;
  return combed.map((value) => ((value - mean) / power) * 0.42);
}

export type DrumName =
  | "kick"
  | "snare"
  | "rim"
  | "clap"
  | "hat"
  | "open"
  | "ride"
  | "crash"
  | "tomHigh"
  | "tomLow"
  | "shaker";

/** How the drums of a kit are built; tunings in hertz, lengths in seconds, the rest 0 to 1. */
interface KitShape {
  kick: readonly [hertz: number, seconds: number, click: number];
  snare: readonly [hertz: number, seconds: number, wires: number];
  /** Limit of all treble, in hertz: dusty kits are dull. */
  treble: number;
}

const KITS = {
  acoustic: { kick: [52, 0.22, 0.5], snare: [185, 0.17, 0.7], treble: 13_000 },
  metal: { kick: [58, 0.15, 1], snare: [185, 0.2, 0.8], treble: 16_000 },
  electronic: { kick: [48, 0.3, 0.7], snare: [210, 0.14, 0.85], treble: 17_000 },
  boom: { kick: [42, 0.5, 0.35], snare: [230, 0.13, 0.8], treble: 15_000 },
  dusty: { kick: [60, 0.22, 0.2], snare: [170, 0.12, 0.55], treble: 5500 },
  brushes: { kick: [52, 0.16, 0.12], snare: [190, 0.22, 0.95], treble: 8500 },
  orchestra: { kick: [46, 0.9, 0.15], snare: [150, 0.26, 0.6], treble: 10_000 },
} as const satisfies Record<string, KitShape>;

export type KitName = keyof typeof KITS;

/** A drum ready to be struck: its sound and its place from -1, left, to 1, right. */
type Kit = Readonly<Record<DrumName, { samples: Float32Array; pan: number }>>;

/** Builds the drums of a kit. */
export function kitOf(name: KitName): Kit {
  const { kick, snare, treble }: KitShape = KITS[name];
  const [kickHertz, kickSeconds, click] = kick;
  const [snareHertz, snareSeconds, wires] = snare;
  const fading = (seconds: number, low: number, high: number, level: number, rate: number) =>
    noise(seconds, low, high, (time) => level * Math.exp((-time * rate) / seconds));
  const metal = (seconds: number, level: number, low: number) => fading(seconds, low, treble, level, 5);
  const drum = (pan: number, ...sounds: readonly Float32Array[]) => {
    const samples = new Float32Array(Math.max(...sounds.map(({ length }) => length)));
    for (const sound of sounds) addTo(samples, sound);
    return { samples, pan };
  };
  const beater = fading(0.02, 1200, Math.min(treble, 8000), 0.52 * click, 5.2);
  const body = sweep(snareSeconds, snareHertz, snareHertz * 1.35, 0.02, 0.85 * (1.15 - wires));
  return {
    kick: drum(0, sweep(kickSeconds, kickHertz, kickHertz * (3 + 3 * click), 0.028, 0.95), beater),
    snare: drum(0.06, body, fading(snareSeconds * 1.5, 1100, treble, 0.75 * wires, 6.75)),
    rim: drum(-0.2, sweep(0.05, 820, 900, 0.004, 1), metal(0.03, 0.3, 2500)),
    clap: drum(0.1, noise(0.24, 900, Math.min(treble, 7000), clapEnvelope)),
    hat: drum(0.32, metal(0.09, 0.34, 7000)),
    open: drum(0.32, metal(0.42, 0.34, 6500)),
    ride: drum(-0.38, metal(0.6, 0.16, 5500), sweep(0.5, 3050, 3055, 0.01, 0.07)),
    crash: drum(-0.25, metal(1.9, 0.4, 3200)),
    tomHigh: drum(0.3, sweep(0.3, kickHertz * 2.9, kickHertz * 3.9, 0.05, 0.8)),
    tomLow: drum(-0.3, sweep(0.42, kickHertz * 1.9, kickHertz * 2.7, 0.06, 0.85)),
    shaker: drum(
      -0.35,
      noise(0.1, 5200, treble, (time) => 0.3 * Math.min(1, time / 0.025) * Math.exp(-time * 38)),
    ),
  };
}

/** Three pairs of hands and the room. */
function clapEnvelope(time: number): number {
  const hands = [0, 0.011, 0.021].reduce(
    (sum, at) => sum + (time >= at ? Math.exp((at - time) * 220) : 0),
    0,
  );
  return 0.85 * (hands * 0.7 + (time >= 0.026 ? Math.exp((0.026 - time) * 26) : 0));
}

/** A sine that falls from one frequency to another within about `glide` seconds, and dies away. */
function sweep(seconds: number, hertz: number, from: number, glide: number, level: number): Float32Array {
  const samples = new Float32Array(Math.ceil(seconds * 1.6 * SAMPLE_RATE));
  let phase = 0;
  for (let i = 0; i < samples.length; i++) {
    const time = i / SAMPLE_RATE;
    phase += (2 * Math.PI * (hertz + (from - hertz) * Math.exp(-time / glide))) / SAMPLE_RATE;
    const fade = Math.exp((-time * 3.2) / seconds) * Math.min(1, time / 0.001) * (1 - i / samples.length);
    samples[i] = level * Math.sin(phase) * fade;
  }
  return samples;
}

/** Noise between two frequencies, shaped by `envelope` over seconds; its loudest part is about 1. */
function noise(seconds: number, low: number, high: number, envelope: (time: number) => number): Float32Array {
  const samples = new Float32Array(Math.ceil(seconds * SAMPLE_RATE));
  const up = 1 - Math.exp((-2 * Math.PI * high) / SAMPLE_RATE);
  const down = 1 - Math.exp((-2 * Math.PI * low) / SAMPLE_RATE);
  let state = 0x2545f491 ^ samples.length;
  let [bright, slow, slower] = [0, 0, 0];
  for (let i = 0; i < samples.length; i++) {
    state = nextNoise(state);
    bright += up * (state * NOISE_SCALE - bright);
    slow += down * (bright - slow);
    slower += down * (bright - slow - slower);
    samples[i] = (bright - slow - slower) * envelope(i / SAMPLE_RATE) * (1 - i / samples.length);
  }
  return samples;
}
