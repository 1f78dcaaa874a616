/** The samples of one turn of a wave table. */
export const TABLE_SIZE = 2048;
const HARMONICS_MAX = 256;

/** The strength of each harmonic, the first at index 0. */
type Recipe = readonly number[];

/** One wave at several bandwidths: `levels[n]` has the harmonics up to 256 / 2ⁿ. */
export type WaveTable = readonly Float32Array[];

function falling(power: number, count: number, shape: (n: number) => number = () => 1): Recipe {
  return Array.from({ length: count }, (_, index) => shape(index + 1) / (index + 1) ** power);
}

const bump = (n: number, at: number, width: number): number => Math.exp(-(((n - at) / width) ** 2));
const odd = (n: number): number => (n % 2 === 1 ? 1 : 0);

const RECIPES = {
  sine: [1],
  saw: falling(1, HARMONICS_MAX),
  square: falling(1, HARMONICS_MAX, odd),
  /** A soft saw, as of many bows. */
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
  /** The pulse of the vocal folds. */
  glottis: falling(1.15, 120),
} as const satisfies Record<string, Recipe>;

export type WaveName = keyof typeof RECIPES;

const made = new Map<WaveName, WaveTable>();
let sine: Float32Array | undefined;

/** One turn of a sine, with one more sample so that the last can be interpolated. */
export function sineTable(): Float32Array {
  sine ??= Float32Array.from({ length: TABLE_SIZE + 1 }, (_, i) => Math.sin((2 * Math.PI * i) / TABLE_SIZE));
  return sine;
}

/** The tables of a wave, made when first asked for. Their strength (root mean square) is that of a sine. */
export function waveTable(name: WaveName): WaveTable {
  let table = made.get(name);
  if (!table) {
    table = build(RECIPES[name]);
    made.set(name, table);
  }
  return table;
}

/** The table of a wave that has no harmonic above `nyquist`, for a note of so many hertz. */
export function levelFor(table: WaveTable, hertz: number, nyquist: number): Float32Array {
  const room = nyquist / hertz;
  const level = Math.ceil(Math.log2(HARMONICS_MAX / room));
  return table[Math.min(table.length - 1, Math.max(0, level))] ?? sineTable();
}

function build(recipe: Recipe): WaveTable {
  const wave = sineTable();
  const power = recipe.reduce((sum, strength) => sum + strength * strength, 0);
  const levels: Float32Array[] = [];
  for (let harmonics = HARMONICS_MAX; harmonics >= 1; harmonics /= 2) {
    const samples = new Float32Array(TABLE_SIZE + 1);
    for (const [index, strength] of recipe.slice(0, harmonics).entries()) {
      if (strength === 0) continue;
      const gain = strength / Math.sqrt(power);
      const step = index + 1;
      // Every second harmonic turned half way, so that the peaks stay low.
      const start = index % 2 === 0 ? 0 : TABLE_SIZE / 2;
      for (let i = 0; i <= TABLE_SIZE; i++) {
        samples[i] = (samples[i] ?? 0) + gain * (wave[(start + i * step) & (TABLE_SIZE - 1)] ?? 0);
      }
    }
    levels.push(samples);
  }
  return levels;
}
