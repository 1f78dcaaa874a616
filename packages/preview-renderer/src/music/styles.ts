import type { KitName, PatchName } from "./synth.js";
import type { ChordSize, ScaleName } from "./theory.js";

/** What makes a style. The first of several instruments, comps and the like is the most typical one. */
export interface Style {
  /** Beats a minute, slowest and fastest. */
  bpm: readonly [number, number];
  scales: readonly [ScaleName, ...ScaleName[]];
  chordSize: ChordSize;
  /** A bar each; major and minor apart. */
  progressions: { major: readonly [string, ...string[]]; minor: readonly [string, ...string[]] };
  /** How late every second eighth or sixteenth comes: 0 even, 0.33 triplets. */
  swing: number;
  swingStep: 1 | 2;
  chords: readonly [PatchName, ...PatchName[]];
  bass: readonly [PatchName, ...PatchName[]];
  lead: readonly [PatchName, ...PatchName[]];
  pad: PatchName | undefined;
  /**
   * How chords and drums go, by sixteenths of a bar of four beats. Chords are `held`, `hits`, `strum`, `arpeggio` or,
   * with the palm on the strings, `muted`; of drums each has its strokes after its name. `X` strikes hard, `x`
   * middling, `o` softly, `-` goes on, `.` rests.
   */
  verse: readonly [chords: string, drums: string];
  chorus: readonly [chords: string, drums: string];
  /** `1`, `3`, `5` of the chord, `8` its octave, `a` a step to the next chord; `-` goes on, `.` rests. */
  bassLine: string;
  kit: KitName;
  /** Notes of the melody a bar, about. */
  density: number;
  /** MIDI note around which the lead plays. */
  register: number;
  reverb: number;
  reverbSeconds: number;
  /** What is higher is dulled, in hertz. */
  treble: number;
}

/** What styles have in common: a plain band with a piano. */
const NEUTRAL: Style = {
  bpm: [100, 100],
  scales: ["major", "minor"],
  chordSize: "triad",
  progressions: { major: ["1 4 5 1", "1 6 4 5"], minor: ["1 4 5 1", "1 6 4 5"] },
  swing: 0,
  swingStep: 2,
  chords: ["piano"],
  bass: ["fingered"],
  lead: ["piano"],
  pad: undefined,
  verse: ["hits x-------x-------", "kick x.......x....... hat x...x...x...x..."],
  chorus: ["hits x---x---x---x---", "kick x.......x....... snare ....x.......x... hat x...x...x...x..."],
  bassLine: "1-------5-------",
  kit: "acoustic",
  density: 4,
  register: 72,
  reverb: 0.14,
  reverbSeconds: 1.4,
  treble: 20_000,
};

const POP_MAJOR = ["1 5 6 4", "6 4 1 5", "1 6 4 5", "4 5 6 1"] as const;
const POP_MINOR = ["1 6 3 7", "6 7 1 1", "1 4 6 7", "1 3 7 4"] as const;

/** The styles, by the ids of the catalogue. */
export const STYLES = {
  pop: {
    ...NEUTRAL,
    bpm: [104, 122],
    progressions: { major: POP_MAJOR, minor: POP_MINOR },
    chords: ["piano", "supersaw", "epiano"],
    bass: ["sawBass", "fingered"],
    lead: ["synth", "blip", "bells"],
    pad: "strings",
    verse: ["hits x--x--x---x-x---", "kick X.....x.x....... snare ....x.......x... hat x.o.x.o.x.o.x.o."],
    chorus: [
      "hits x-x-x-x-x-x-x-x-",
      "kick X...X...X...X... clap ....X.......X... hat ..x...x...x...x. shaker x.o.x.o.x.o.x.o.",
    ],
    bassLine: "1-1-1-1-1-1-1-5-",
    kit: "electronic",
    density: 6,
    reverb: 0.2,
    reverbSeconds: 1.7,
  },
  rock: {
    ...NEUTRAL,
    bpm: [118, 144],
    scales: ["mixolydian", "minor", "major"],
    chordSize: "power",
    progressions: { major: ["1 b7 4 1", "1 4 5 4", "1 5 4 4"], minor: ["1 7 6 7", "1 6 7 1", "1 3 4 6"] },
    chords: ["driven"],
    bass: ["picked"],
    lead: ["shred", "electric"],
    pad: "organ",
    verse: ["muted x-x-x-x-X-x-x-x-", "kick X.....x.X.x..... snare ....X.......X... hat x.x.x.x.x.x.x.x."],
    chorus: ["hits x---x-x---x-x-x-", "kick X.x...x.X.x...x. snare ....X.......X... open x...x...x...x..."],
    bassLine: "1-1-1-1-1-1-5-a-",
    kit: "acoustic",
    density: 6,
    register: 70,
    reverb: 0.13,
  },
  metal: {
    ...NEUTRAL,
    bpm: [150, 184],
    scales: ["phrygian", "harmonic", "minor"],
    chordSize: "power",
    progressions: { major: ["1 b7 b6 5", "1 b2 1 b7"], minor: ["1 1 6 7", "1 2 1 7", "1 6 5M 1"] },
    chords: ["driven"],
    bass: ["picked"],
    lead: ["shred", "synth"],
    verse: [
      "muted xxxxX-xxxxxxX-X-",
      "kick xxxxx.xxxxxxx.x. snare ....X.......X... crash x............... hat x...x...x...x...",
    ],
    chorus: ["hits x-------x---x---", "kick XxXxXxXxXxXxXxXx snare ....X.......X... open x...x...x...x..."],
    bassLine: "1111111111111111",
    kit: "metal",
    density: 9,
    register: 71,
    reverb: 0.08,
    reverbSeconds: 1.2,
  },
  hip_hop: {
    ...NEUTRAL,
    bpm: [82, 96],
    scales: ["minor", "phrygian", "dorian"],
    progressions: { major: ["1 6 2 5", "4 3 2 1"], minor: ["1 1 6 6", "1 6 1 5M", "1 4 1 7"] },
    swing: 0.16,
    swingStep: 1,
    chords: ["epiano", "nylon", "strings"],
    bass: ["deepBass"],
    lead: ["flute", "bells", "blip"],
    pad: "choir",
    verse: ["hits x-----x-----x---", "kick X......x..X..... snare ....X.......X... hat x.x.x.x.x.xxx.x."],
    chorus: ["arpeggio x-x-x-x-x-x-x-x-", "kick X..x...x..X...x. clap ....X.......X... hat x.xxx.x.xxx.xooo"],
    bassLine: "1------1..1-----",
    kit: "boom",
    density: 5,
    reverb: 0.13,
  },
  electronic: {
    ...NEUTRAL,
    bpm: [124, 136],
    scales: ["minor", "dorian", "phrygian"],
    progressions: { major: ["6 4 1 5", "1 5 6 4"], minor: ["1 6 3 7", "1 1 6 7", "6 7 1 1"] },
    chords: ["supersaw", "blip"],
    bass: ["sawBass"],
    lead: ["blip", "synth", "chip"],
    pad: "pad",
    verse: ["arpeggio xoxoxoxoxoxoxoxo", "kick X...X...X...X... hat o.x.o.x.o.x.o.x."],
    chorus: [
      "hits ..x-..x-..x-..x-",
      "kick X...X...X...X... clap ....X.......X... open ..x...x...x...x. hat xoxoxoxoxoxoxoxo",
    ],
    bassLine: "..1-..1-..1-..8-",
    kit: "electronic",
    density: 8,
    reverb: 0.2,
    reverbSeconds: 2,
  },
  lofi: {
    ...NEUTRAL,
    bpm: [72, 86],
    scales: ["dorian", "major", "minor"],
    chordSize: "ninth",
    progressions: { major: ["2 5 1 6", "4 3 2 1", "1 6 2 5"], minor: ["1 4 7 3", "6 5 1 1"] },
    swing: 0.22,
    swingStep: 1,
    chords: ["epiano", "nylon"],
    bass: ["upright", "fingered"],
    lead: ["electric", "celesta", "epiano"],
    pad: "pad",
    verse: ["strum x-------..x-----", "kick X......x..x..... snare ....x.......x... hat x.o.x.o.x.o.x.o."],
    chorus: ["strum x-----x---x-----", "kick X......x..x....x snare ....x..o....x... hat x.oox.o.x.oox.o."],
    bassLine: "1-----1-....5-a-",
    kit: "dusty",
    density: 4,
    register: 69,
    reverb: 0.17,
    treble: 5200,
  },
  jazz: {
    ...NEUTRAL,
    bpm: [116, 152],
    scales: ["major", "dorian"],
    chordSize: "ninth",
    progressions: { major: ["2 5 1 6M", "1 6 2 5", "3 6 2 5"], minor: ["1 4 2 5M", "4 7 3 5M"] },
    swing: 0.3,
    chords: ["epiano", "piano", "electric"],
    bass: ["upright"],
    lead: ["sax", "piano", "brass"],
    verse: ["hits x-....x-........", "ride x...x.x.x...x.x. hat ....x.......x... snare ....o.....o.o..."],
    chorus: [
      "hits ..x-..x-....x-..",
      "kick o.......o....... ride X...x.x.X...x.x. hat ....x.......x... snare ......o...o....o",
    ],
    bassLine: "1---3---5---a---",
    kit: "brushes",
    density: 8,
    register: 70,
    reverb: 0.18,
    reverbSeconds: 1.3,
  },
  classical: {
    ...NEUTRAL,
    bpm: [84, 112],
    scales: ["major", "harmonic"],
    progressions: { major: ["1 4 5 1", "1 5 6 3", "1 2 5 1"], minor: ["1 4 5M 1", "1 6 4 5M", "1 7 3 5M"] },
    chords: ["piano", "strings", "harp"],
    bass: ["cello"],
    lead: ["violin", "piano", "flute"],
    pad: "strings",
    verse: ["arpeggio x-x-x-x-x-x-x-x-", ""],
    chorus: ["arpeggio xxxxxxxxxxxxxxxx", ""],
    bassLine: "1-------5-------",
    kit: "orchestra",
    density: 6,
    register: 76,
    reverb: 0.3,
    reverbSeconds: 2.4,
  },
  ambient: {
    ...NEUTRAL,
    bpm: [62, 74],
    scales: ["lydian", "major", "dorian"],
    chordSize: "ninth",
    progressions: { major: ["1 1 4 4", "1 3 4 4", "4 1 4 6"], minor: ["1 1 6 6", "1 4 1 7"] },
    chords: ["pad", "choir"],
    bass: ["deepBass"],
    lead: ["bells", "flute", "celesta"],
    pad: "choir",
    verse: ["held x---------------", ""],
    chorus: ["held x---------------", ""],
    bassLine: "1---------------",
    kit: "orchestra",
    density: 2.2,
    register: 76,
    reverb: 0.6,
    reverbSeconds: 5,
  },
  folk: {
    ...NEUTRAL,
    bpm: [96, 116],
    scales: ["major", "dorian", "mixolydian"],
    progressions: { major: ["1 4 1 5", "1 5 6 4", "1 6 4 5"], minor: ["1 7 1 7", "1 3 7 1", "1 4 1 5M"] },
    chords: ["steel", "nylon"],
    bass: ["upright"],
    lead: ["flute", "violin", "balalaika"],
    verse: ["arpeggio x-x-x-x-x-x-x-x-", "shaker x.o.x.o.x.o.x.o."],
    chorus: ["strum x---x-xo--xox-xo", "kick x.......x....... rim ....x.......x... shaker x.o.x.o.x.o.x.o."],
    bassLine: "1-------5-------",
    kit: "brushes",
    density: 5,
    reverb: 0.18,
  },
  cinematic: {
    ...NEUTRAL,
    bpm: [80, 100],
    scales: ["minor", "harmonic", "dorian"],
    progressions: { major: ["1 5 6 4", "6 4 1 5"], minor: ["1 6 3 7", "1 4 6 5M", "1 6 4 5M"] },
    chords: ["strings", "piano"],
    bass: ["cello", "deepBass"],
    lead: ["brass", "violin", "choir"],
    pad: "choir",
    verse: ["hits x-x-x-x-x-x-x-x-", "tomLow x.......o...o..."],
    chorus: [
      "hits x-xox-xox-xox-xo",
      "kick X.......X.....x. tomLow X..x..x.X..x..x. snare ............o.xx crash x...............",
    ],
    bassLine: "1-------1-------",
    kit: "orchestra",
    density: 3,
    register: 69,
    reverb: 0.4,
    reverbSeconds: 3.2,
  },
  chanson: {
    ...NEUTRAL,
    bpm: [104, 126],
    scales: ["harmonic", "minor"],
    progressions: { major: ["1 6 2 5", "1 4 5 1"], minor: ["1 4 5M 1", "1 6 4 5M", "1 4 7 3"] },
    chords: ["nylon", "accordion", "piano"],
    bass: ["upright"],
    lead: ["accordion", "violin"],
    verse: ["strum ....x-......x-..", "kick x.......x....... rim ....x.......x..."],
    chorus: [
      "strum ....x-x-....x-x-",
      "kick x.......x....... snare ....x.......x..o shaker x.o.x.o.x.o.x.o.",
    ],
    bassLine: "1-------5-------",
    kit: "brushes",
    density: 6,
    register: 71,
    reverb: 0.16,
  },
} as const satisfies Record<string, Style>;

export type StyleName = keyof typeof STYLES;
