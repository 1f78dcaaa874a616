import type { ChannelName, Hit, Note, Score } from "../score/score.js";
import { hertzOf } from "../theory.js";
import { Drive } from "./drive.js";
import { kitOf } from "./kits.js";
import { voiceOf } from "./patch-voice.js";
import { patchOf } from "./patches.js";
import { Echo, Reverb } from "./reverb.js";
import { SAMPLE_RATE } from "./samples.js";
import { Singer } from "./singer.js";
import { Tape } from "./tape.js";
import type { Voice } from "./voice.js";

/** Samples of one block, as many as an MP3 frame has. */
export const BLOCK = 1152;
const CHANNELS = ["chords", "bass", "lead", "pad", "guitars", "drums", "voice"] as const;
/** How much of each channel goes to the room, and how much to the echo. */
const SENDS: Readonly<Record<(typeof CHANNELS)[number], { room: number; echo: number }>> = {
  chords: { room: 0.8, echo: 0 },
  bass: { room: 0.05, echo: 0 },
  lead: { room: 1, echo: 1 },
  pad: { room: 1, echo: 0 },
  guitars: { room: 0.3, echo: 0 },
  drums: { room: 0.35, echo: 0 },
  voice: { room: 0.9, echo: 0.7 },
};
/** Seconds in which the music comes back after a kick pushed it down. */
const PUMP_SECONDS = 0.13;
const PUMPED = new Set<string>(["chords", "bass", "pad"]);

interface Playing {
  voice: Voice;
  channel: ChannelName;
  left: number;
  right: number;
}

interface Struck {
  samples: Float32Array;
  position: number;
  left: number;
  right: number;
}

type Pair = [Float32Array, Float32Array];

const newPair = (): Pair => [new Float32Array(BLOCK), new Float32Array(BLOCK)];

/** Equal loudness at every place between the sides. */
function panned(pan: number, level = 1): { left: number; right: number } {
  const angle = ((pan + 1) * Math.PI) / 4;
  return { left: Math.cos(angle) * Math.SQRT2 * level, right: Math.sin(angle) * Math.SQRT2 * level };
}

/** Plays a score, block after block, so that a track of any length needs the same memory. */
class Mixer {
  readonly #score: Score;
  readonly #notes: readonly Note[];
  readonly #hits: readonly Hit[];
  readonly #singers: readonly Singer[];
  readonly #channels = Object.fromEntries(CHANNELS.map((name) => [name, newPair()])) as Record<
    (typeof CHANNELS)[number],
    Pair
  >;
  readonly #scratch = newPair();
  readonly #room = new Float32Array(BLOCK);
  readonly #echoes = new Float32Array(BLOCK);
  readonly #drives: readonly [Drive, Drive];
  readonly #reverb: Reverb;
  readonly #echo: Echo;
  readonly #tape: Tape | undefined;
  readonly #steady = [0, 1].map(() => ({ before: 0, out: 0 }));
  #playing: Playing[] = [];
  #struck: Struck[] = [];
  #nextNote = 0;
  #nextHit = 0;
  #push = 0;
  #samples = 0;

  constructor(score: Score) {
    this.#score = score;
    this.#notes = [...score.notes].sort((first, second) => first.at - second.at);
    this.#hits = [...score.hits].sort((first, second) => first.at - second.at);
    const { mix, sung, isHighVoice } = score;
    this.#singers =
      sung.length > 0 ? [new Singer(sung, isHighVoice), new Singer(sung, isHighVoice, 0.019, 9)] : [];
    this.#drives = [new Drive(mix.drive), new Drive(mix.drive)];
    this.#reverb = new Reverb(mix.reverbSeconds);
    this.#echo = new Echo(mix.echoSeconds);
    this.#tape = mix.dust > 0 ? new Tape(mix.dust) : undefined;
  }

  /** The next block, left and right. */
  next(): Pair {
    for (const [left, right] of Object.values(this.#channels)) {
      left.fill(0);
      right.fill(0);
    }
    this.#playNotes();
    this.#strike();
    const [voiceLeft, voiceRight] = this.#channels.voice;
    this.#singers[0]?.sing(voiceLeft);
    this.#singers[1]?.sing(voiceRight);
    for (let i = 0; i < BLOCK && this.#singers.length > 0; i++) {
      const [main, double] = [voiceLeft[i] ?? 0, voiceRight[i] ?? 0];
      voiceLeft[i] = main * 0.9 + double * 0.2;
      voiceRight[i] = main * 0.8 + double * 0.4;
    }
    const out = this.#mixed();
    this.#samples += BLOCK;
    return out;
  }

  #playNotes(): void {
    const end = this.#samples + BLOCK;
    const kept: Playing[] = [];
    for (const playing of this.#playing) if (this.#play(playing, 0)) kept.push(playing);
    for (let note = this.#notes[this.#nextNote]; note; note = this.#notes[this.#nextNote]) {
      const start = Math.max(0, Math.round(note.at * SAMPLE_RATE));
      if (start >= end) break;
      const tone = {
        hertz: hertzOf(note.midi),
        seconds: note.seconds,
        level: note.level,
        seed: this.#nextNote,
      };
      const voice = voiceOf(patchOf(note.patch), tone);
      const playing = { voice, channel: note.channel, ...panned(note.pan) };
      if (this.#play(playing, start - this.#samples)) kept.push(playing);
      this.#nextNote++;
    }
    this.#playing = kept;
  }

  #play({ voice, channel, left, right }: Playing, from: number): boolean {
    const [a, b] = this.#scratch;
    const goesOn = voice.play(a, b, from, BLOCK);
    const [outLeft, outRight] = this.#channels[channel];
    const other = voice.isWide ? b : a;
    for (let i = from; i < BLOCK; i++) {
      outLeft[i] = (outLeft[i] ?? 0) + (a[i] ?? 0) * left;
      outRight[i] = (outRight[i] ?? 0) + (other[i] ?? 0) * right;
    }
    return goesOn;
  }

  #strike(): void {
    const kit = kitOf(this.#score.kit);
    const end = this.#samples + BLOCK;
    for (let hit = this.#hits[this.#nextHit]; hit; hit = this.#hits[this.#nextHit]) {
      const start = Math.max(0, Math.round(hit.at * SAMPLE_RATE));
      if (start >= end) break;
      const { samples, pan } = kit[hit.drum];
      // A closed hat ends an open one; the same drum goes on under the new stroke.
      this.#struck.push({ samples, position: this.#samples - start, ...panned(pan, hit.level) });
      this.#nextHit++;
    }
    const [left, right] = this.#channels.drums;
    for (const struck of this.#struck) {
      const { samples, position } = struck;
      const from = Math.max(0, -position);
      const to = Math.min(BLOCK, samples.length - position);
      for (let i = from; i < to; i++) {
        const sample = samples[position + i] ?? 0;
        left[i] = (left[i] ?? 0) + sample * struck.left;
        right[i] = (right[i] ?? 0) + sample * struck.right;
      }
      struck.position += BLOCK;
    }
    this.#struck = this.#struck.filter(({ samples, position }) => position < samples.length);
  }

  #mixed(): Pair {
    const { mix } = this.#score;
    const out = newPair();
    const [left, right] = out;
    this.#room.fill(0);
    this.#echoes.fill(0);
    for (const [side, drive] of this.#drives.entries())
      drive.apply(this.#channels.guitars[side === 0 ? 0 : 1]);
    const pumping = mix.pump > 0 ? this.#pumping() : undefined;
    for (const name of CHANNELS) {
      const [ownLeft, ownRight] = this.#channels[name];
      const gain = mix.gains[name];
      const room = SENDS[name].room * mix.reverb;
      const echo = SENDS[name].echo * mix.echo;
      const pushed = PUMPED.has(name) ? pumping : undefined;
      for (let i = 0; i < BLOCK; i++) {
        const now = pushed ? gain * (pushed[i] ?? 1) : gain;
        const [l, r] = [(ownLeft[i] ?? 0) * now, (ownRight[i] ?? 0) * now];
        left[i] = (left[i] ?? 0) + l;
        right[i] = (right[i] ?? 0) + r;
        this.#room[i] = (this.#room[i] ?? 0) + (l + r) * room;
        this.#echoes[i] = (this.#echoes[i] ?? 0) + (l + r) * echo;
      }
    }
    if (mix.echo > 0) this.#echo.add(this.#echoes, left, right);
    if (mix.reverb > 0) this.#reverb.add(this.#room, left, right);
    this.#tape?.apply(left, right);
    for (const [index, side] of out.entries()) this.#finish(side, index);
    return out;
  }

  /** The gain that the kick leaves to the others, sample by sample. */
  #pumping(): Float32Array {
    const gains = new Float32Array(BLOCK);
    const back = Math.exp(-1 / (PUMP_SECONDS * SAMPLE_RATE));
    const kicks = this.#struck
      .filter(({ samples }) => samples === kitOf(this.#score.kit).kick.samples)
      .map(({ position }) => BLOCK - position)
      .filter((start) => start >= 0);
    for (let i = 0; i < BLOCK; i++) {
      this.#push = kicks.includes(i) ? 1 : this.#push * back;
      gains[i] = 1 - this.#score.mix.pump * this.#push;
    }
    return gains;
  }

  /** Takes the direct current away, sets the loudness, and fades in and out. */
  #finish(side: Float32Array, index: number): void {
    const { fadeAt, seconds, mix } = this.#score;
    const state = this.#steady[index];
    if (!state) return;
    const pole = 1 - (2 * Math.PI * 22) / SAMPLE_RATE;
    let { before, out } = state;
    const isEdge = this.#samples === 0 || (this.#samples + BLOCK) / SAMPLE_RATE > fadeAt;
    for (let i = 0; i < BLOCK; i++) {
      const sample = side[i] ?? 0;
      out = sample - before + pole * out;
      before = sample;
      let gain = mix.loudness;
      if (isEdge) {
        const time = (this.#samples + i) / SAMPLE_RATE;
        const left = Math.min(1, Math.max(0, (seconds - time) / (seconds - fadeAt)));
        gain *= Math.min(1, time / 0.004) * Math.sin((left * Math.PI) / 2) ** 2;
      }
      side[i] = out * gain;
    }
    state.before = before;
    state.out = out;
  }
}

/** The samples of a score, left and right, in blocks of 1152, of any loudness. */
export function* mixdown(score: Score): Generator<Pair> {
  const mixer = new Mixer(score);
  const blocks = Math.round((score.seconds * SAMPLE_RATE) / BLOCK);
  for (let block = 0; block < blocks; block++) yield mixer.next();
}
