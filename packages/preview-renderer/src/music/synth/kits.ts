import { NOISE_SCALE, nextNoise } from "./noise.js";
import { SAMPLE_RATE } from "./samples.js";

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

/** How the drums of a kit are built; tunings in hertz, lengths in seconds. */
interface KitShape {
  kickHertz: number;
  kickSeconds: number;
  /** How hard the beater clicks, 0 to 1. */
  click: number;
  snareHertz: number;
  snareSeconds: number;
  /** How much of the snare is its wires, 0 to 1. */
  wires: number;
  hatSeconds: number;
  /** Limit of all treble, in hertz: dusty kits are dull. */
  treble: number;
}

const acoustic = { kickHertz: 52, kickSeconds: 0.22, click: 0.5, snareHertz: 185, hatSeconds: 0.05 } as const;

const KITS = {
  acoustic: { ...acoustic, snareSeconds: 0.17, wires: 0.7, treble: 13_000 },
  metal: {
    ...acoustic,
    kickHertz: 58,
    kickSeconds: 0.15,
    click: 1,
    snareSeconds: 0.2,
    wires: 0.8,
    treble: 16_000,
  },
  electronic: {
    kickHertz: 48,
    kickSeconds: 0.3,
    click: 0.7,
    snareHertz: 210,
    snareSeconds: 0.14,
    wires: 0.85,
    hatSeconds: 0.04,
    treble: 17_000,
  },
  boom: {
    kickHertz: 42,
    kickSeconds: 0.5,
    click: 0.35,
    snareHertz: 230,
    snareSeconds: 0.13,
    wires: 0.8,
    hatSeconds: 0.03,
    treble: 15_000,
  },
  dusty: {
    ...acoustic,
    kickHertz: 60,
    click: 0.2,
    snareHertz: 170,
    snareSeconds: 0.12,
    wires: 0.55,
    treble: 5500,
  },
  brushes: {
    ...acoustic,
    kickSeconds: 0.16,
    click: 0.12,
    snareHertz: 190,
    snareSeconds: 0.22,
    wires: 0.95,
    treble: 8500,
  },
  orchestra: {
    kickHertz: 46,
    kickSeconds: 0.9,
    click: 0.15,
    snareHertz: 150,
    snareSeconds: 0.26,
    wires: 0.6,
    hatSeconds: 0.05,
    treble: 10_000,
  },
} as const satisfies Record<string, KitShape>;

export type KitName = keyof typeof KITS;

/** A drum ready to be struck: its sound and its place from -1, left, to 1, right. */
export interface Drum {
  samples: Float32Array;
  pan: number;
}

export type Kit = Readonly<Record<DrumName, Drum>>;

const made = new Map<KitName, Kit>();

/** The drums of a kit, made when first asked for. */
export function kitOf(name: KitName): Kit {
  let kit = made.get(name);
  if (!kit) {
    kit = build(KITS[name]);
    made.set(name, kit);
  }
  return kit;
}

function build(shape: KitShape): Kit {
  const { kickHertz, kickSeconds, click, snareHertz, snareSeconds, wires, hatSeconds, treble } = shape;
  const metal = (seconds: number, level: number, low: number) =>
    scaled(
      noise(seconds, low, treble, (t) => Math.exp((-t * 5) / seconds)),
      level,
    );
  return {
    kick: { samples: scaled(kick(kickHertz, kickSeconds, click, treble), 0.95), pan: 0 },
    snare: {
      samples: mixed(
        scaled(tone(snareSeconds, snareHertz, snareHertz * 1.35, 0.02), 0.85 * (1.15 - wires)),
        scaled(
          noise(snareSeconds * 1.5, 1100, treble, (t) => Math.exp((-t * 4.5) / snareSeconds)),
          0.75 * wires,
        ),
      ),
      pan: 0.06,
    },
    rim: { samples: mixed(tone(0.05, 820, 900, 0.004), metal(0.03, 0.3, 2500)), pan: -0.2 },
    clap: { samples: scaled(noise(0.24, 900, Math.min(treble, 7000), clapEnvelope), 0.85), pan: 0.1 },
    hat: { samples: metal(hatSeconds * 2, 0.34, 7000), pan: 0.32 },
    open: { samples: metal(0.42, 0.34, 6500), pan: 0.32 },
    ride: { samples: mixed(metal(0.6, 0.16, 5500), scaled(tone(0.5, 3050, 3055, 0.01), 0.07)), pan: -0.38 },
    crash: { samples: metal(1.9, 0.4, 3200), pan: -0.25 },
    tomHigh: { samples: scaled(tone(0.3, kickHertz * 2.9, kickHertz * 3.9, 0.05), 0.8), pan: 0.3 },
    tomLow: { samples: scaled(tone(0.42, kickHertz * 1.9, kickHertz * 2.7, 0.06), 0.85), pan: -0.3 },
    shaker: {
      samples: scaled(
        noise(0.1, 5200, treble, (t) => Math.min(1, t / 0.025) * Math.exp(-t * 38)),
        0.3,
      ),
      pan: -0.35,
    },
  };
}

function clapEnvelope(time: number): number {
  const hands = [0, 0.011, 0.021].reduce(
    (sum, at) => sum + (time >= at ? Math.exp((at - time) * 220) : 0),
    0,
  );
  return hands * 0.7 + (time >= 0.026 ? Math.exp((0.026 - time) * 26) : 0);
}

function kick(hertz: number, seconds: number, click: number, treble: number): Float32Array {
  const body = tone(seconds, hertz, hertz * (3 + 3 * click), 0.028);
  return mixed(
    body,
    scaled(
      noise(0.02, 1200, Math.min(treble, 8000), (t) => Math.exp(-t * 260)),
      0.55 * click,
    ),
  );
}

/** A sine that falls from one frequency to another within about `glide` seconds, and dies away. */
function tone(seconds: number, hertz: number, from: number, glide: number): Float32Array {
  const samples = new Float32Array(Math.ceil(seconds * 1.6 * SAMPLE_RATE));
  let phase = 0;
  for (let i = 0; i < samples.length; i++) {
    const time = i / SAMPLE_RATE;
    phase += (2 * Math.PI * (hertz + (from - hertz) * Math.exp(-time / glide))) / SAMPLE_RATE;
    const left = 1 - i / samples.length;
    samples[i] = Math.sin(phase) * Math.exp((-time * 3.2) / seconds) * Math.min(1, time / 0.001) * left;
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

function scaled(samples: Float32Array, gain: number): Float32Array {
  return samples.map((sample) => sample * gain);
}

function mixed(first: Float32Array, second: Float32Array): Float32Array {
  const [long, short] = first.length >= second.length ? [first, second] : [second, first];
  return long.map((sample, i) => sample + (short[i] ?? 0));
}
