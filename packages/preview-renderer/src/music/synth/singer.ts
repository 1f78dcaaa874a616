import type { Sung } from "../score/score.js";
import type { Consonant, Vowel } from "../score/syllables.js";
import { hertzOf } from "../theory.js";
import { NOISE_SCALE, nextNoise } from "./noise.js";
import { CONTROL_STEP, SAMPLE_RATE } from "./samples.js";
import { levelFor, TABLE_SIZE, waveTable } from "./tables.js";

/** Resonances of the mouth of a low voice, in hertz (after Peterson and Barney, 1952, and for ы Fant, 1960). */
const FORMANTS: Readonly<Record<Vowel, readonly [number, number, number]>> = {
  a: [730, 1120, 2500],
  e: [500, 1850, 2480],
  i: [290, 2250, 2950],
  o: [480, 820, 2450],
  u: [310, 680, 2300],
  y: [320, 1480, 2350],
  schwa: [500, 1400, 2400],
};
const NASAL = [260, 1050, 2250] as const;
const LIQUID = [380, 1250, 2350] as const;
/** A fourth resonance gives the voice its ring. */
const SINGERS_HERTZ = 3350;
const BANDWIDTHS = [85, 110, 150, 230] as const;
const STRENGTHS = [1, 0.8, 0.45, 0.2] as const;

/** How a consonant sounds: its seconds, how much voice and noise it has, and where the noise lies. */
const SOUNDS: Readonly<Record<Consonant, { seconds: number; voice: number; noise: number; hertz: number }>> =
  {
    hiss: { seconds: 0.085, voice: 0, noise: 0.5, hertz: 6400 },
    hush: { seconds: 0.085, voice: 0, noise: 0.5, hertz: 3100 },
    breath: { seconds: 0.065, voice: 0.08, noise: 0.3, hertz: 1900 },
    stop: { seconds: 0.06, voice: 0, noise: 0.75, hertz: 2600 },
    nasal: { seconds: 0.07, voice: 0.5, noise: 0, hertz: 2000 },
    liquid: { seconds: 0.06, voice: 0.6, noise: 0, hertz: 2000 },
  };
const HIGH_VOICE_FACTOR = 1.17;
const VIBRATO_HERTZ = 5.6;
/** Time constants of the mouth, the pitch and the loudness, in seconds. */
const MOUTH_SECONDS = 0.018;
const GLIDE_SECONDS = 0.028;
const SWELL_SECONDS = 0.014;

/** A band-pass filter of two poles, whose gain at its centre is 1. */
class Resonator {
  #x1 = 0;
  #x2 = 0;
  #y1 = 0;
  #y2 = 0;
  #b = 0;
  #a1 = 0;
  #a2 = 0;

  tune(hertz: number, bandwidth: number): void {
    const turn = (2 * Math.PI * Math.min(hertz, SAMPLE_RATE * 0.45)) / SAMPLE_RATE;
    const alpha = Math.sin(turn) * (bandwidth / (2 * hertz));
    this.#b = alpha / (1 + alpha);
    this.#a1 = (-2 * Math.cos(turn)) / (1 + alpha);
    this.#a2 = (1 - alpha) / (1 + alpha);
  }

  /** Adds the filtered input to `out`. */
  add(input: Float32Array, out: Float32Array, from: number, count: number, gain: number): void {
    let [x1, x2, y1, y2] = [this.#x1, this.#x2, this.#y1, this.#y2];
    const [b, a1, a2] = [this.#b, this.#a1, this.#a2];
    for (let i = 0; i < count; i++) {
      const x = input[i] ?? 0;
      const y = b * (x - x2) - a1 * y1 - a2 * y2;
      x2 = x1;
      x1 = x;
      y2 = y1;
      y1 = y;
      out[from + i] = (out[from + i] ?? 0) + y * gain;
    }
    [this.#x1, this.#x2, this.#y1, this.#y2] = [x1, x2, y1, y2];
  }
}

/** What the singer is doing at a moment. */
interface Gesture {
  voice: number;
  noise: number;
  noiseHertz: number;
  formants: readonly number[];
  midi: number;
}

/** One singer: a pulse of the vocal folds through the moving resonances of a mouth. */
export class Singer {
  readonly #part: readonly Sung[];
  readonly #factor: number;
  readonly #offset: number;
  readonly #cents: number;
  readonly #resonators = BANDWIDTHS.map(() => new Resonator());
  readonly #hiss = new Resonator();
  readonly #pulse = new Float32Array(CONTROL_STEP);
  readonly #air = new Float32Array(CONTROL_STEP);
  #formants: number[] = [500, 1400, 2400];
  #index = 0;
  #samples = 0;
  #phase = 0;
  #midi = 0;
  #voice = 0;
  #noise = 0;
  #state: number;

  /**
   * @param part in the order of time, one after the other
   * @param offset seconds that this singer comes late, @param cents and is out of tune
   */
  constructor(part: readonly Sung[], isHighVoice: boolean, offset = 0, cents = 0) {
    this.#part = part;
    this.#factor = isHighVoice ? HIGH_VOICE_FACTOR : 1;
    this.#offset = offset;
    this.#cents = cents;
    this.#midi = part[0]?.midi ?? 60;
    this.#state = 0x1234567 + Math.round(offset * 1e6);
  }

  /** Adds the next samples to `out`, from its start. */
  sing(out: Float32Array): void {
    for (let from = 0; from < out.length; from += CONTROL_STEP) {
      this.#segment(out, from, Math.min(CONTROL_STEP, out.length - from));
    }
  }

  #segment(out: Float32Array, from: number, count: number): void {
    const time = this.#samples / SAMPLE_RATE - this.#offset;
    this.#samples += count;
    const gesture = this.#gestureAt(time);
    const isSilent = gesture.voice === 0 && gesture.noise === 0;
    if (isSilent && this.#voice < 1e-4 && this.#noise < 1e-4) return;
    const seconds = count / SAMPLE_RATE;
    const approach = (constant: number): number => 1 - Math.exp(-seconds / constant);
    if (this.#voice < 1e-3) this.#midi = gesture.midi;
    this.#midi += approach(GLIDE_SECONDS) * (gesture.midi - this.#midi);
    const mouth = approach(MOUTH_SECONDS);
    this.#formants = this.#formants.map(
      (hertz, index) => hertz + mouth * ((gesture.formants[index] ?? hertz) - hertz),
    );
    const [voice, noise] = [this.#voice, this.#noise];
    this.#voice += approach(SWELL_SECONDS) * (gesture.voice - voice);
    this.#noise += approach(SWELL_SECONDS / 3) * (gesture.noise - noise);
    this.#source(time, count, voice, noise);
    for (const [index, resonator] of this.#resonators.entries()) {
      const hertz = (this.#formants[index] ?? SINGERS_HERTZ) * this.#factor;
      resonator.tune(hertz, BANDWIDTHS[index] ?? 200);
      resonator.add(this.#pulse, out, from, count, (STRENGTHS[index] ?? 0) * 2.1);
    }
    this.#hiss.tune(gesture.noiseHertz, gesture.noiseHertz * 0.5);
    this.#hiss.add(this.#air, out, from, count, 0.8);
  }

  /** Fills the pulse and the air of the next samples; both loudnesses glide to where they are now. */
  #source(time: number, count: number, voiceBefore: number, noiseBefore: number): void {
    const vibrato = 0.22 * Math.sin(2 * Math.PI * VIBRATO_HERTZ * time + this.#cents);
    const hertz = hertzOf(this.#midi + vibrato + this.#cents / 100);
    const table = levelFor(waveTable("glottis"), hertz, SAMPLE_RATE * 0.4);
    const step = (hertz * TABLE_SIZE) / SAMPLE_RATE;
    const [voiceSlope, noiseSlope] = [
      (this.#voice - voiceBefore) / count,
      (this.#noise - noiseBefore) / count,
    ];
    let [phase, state, voice, noise] = [this.#phase, this.#state, voiceBefore, noiseBefore];
    for (let i = 0; i < count; i++) {
      const at = phase | 0;
      const low = table[at] ?? 0;
      const wave = low + (phase - at) * ((table[at + 1] ?? 0) - low);
      state = nextNoise(state);
      const air = state * NOISE_SCALE;
      this.#pulse[i] = voice * (wave + 0.05 * air);
      this.#air[i] = noise * air;
      voice += voiceSlope;
      noise += noiseSlope;
      phase += step;
      if (phase >= TABLE_SIZE) phase -= TABLE_SIZE;
    }
    [this.#phase, this.#state] = [phase, state];
  }

  #gestureAt(time: number): Gesture {
    for (let sung = this.#part[this.#index]; sung; sung = this.#part[this.#index]) {
      if (time < sung.at + sung.seconds) return gestureOf(sung, time, this.#formants);
      this.#index++;
    }
    return { voice: 0, noise: 0, noiseHertz: 2000, formants: this.#formants, midi: this.#midi };
  }
}

/** The consonant before the beat, the vowel on it, and the closing consonant. */
function gestureOf(sung: Sung, time: number, before: readonly number[]): Gesture {
  const { onset, vowel, coda } = sung.syllable;
  const silence = { voice: 0, noise: 0, noiseHertz: 2000, midi: sung.midi };
  const opening = onset && SOUNDS[onset];
  if (time < sung.at) {
    if (!opening || time < sung.at - opening.seconds) return { ...silence, formants: before };
    return consonant(onset, sung, (sung.at - time) / opening.seconds);
  }
  const closing = coda && SOUNDS[coda];
  const left = sung.at + sung.seconds - time;
  if (closing && left < closing.seconds && left < sung.seconds * 0.35)
    return consonant(coda, sung, left / closing.seconds);
  return { ...silence, voice: sung.level, formants: FORMANTS[vowel] };
}

/** @param left the share of the consonant that is still to come */
function consonant(name: Consonant, sung: Sung, left: number): Gesture {
  const { voice, noise, hertz } = SOUNDS[name];
  // A stop is a closed mouth that bursts open.
  const isClosed = name === "stop" && left > 0.35;
  const formants = name === "nasal" ? NASAL : name === "liquid" ? LIQUID : FORMANTS[sung.syllable.vowel];
  const level = sung.level;
  return {
    voice: voice * level,
    noise: isClosed ? 0 : noise * level,
    noiseHertz: hertz,
    formants,
    midi: sung.midi,
  };
}
