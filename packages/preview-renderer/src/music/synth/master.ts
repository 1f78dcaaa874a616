import { Limiter } from "./limiter.js";
import { LoudnessMeter } from "./loudness.js";

type Pair = [Float32Array, Float32Array];

/** What every song is brought to, in LUFS: as the streaming services play it. */
const LOUDNESS = -14;
/** Difference in LU that is left as it is. */
const TOLERANCE = 0.2;
const PASSES_MAX = 4;
/** Nobody wants to hear the hiss of a song that is nearly silent. In decibels. */
const GAIN_MAX = 30;

/**
 * Brings a song to the common loudness, peaks limited. The whole song is kept meanwhile, in half the bytes.
 * @param blocks left and right, all of one length
 */
export function* master(blocks: Iterable<Pair>): Generator<Pair> {
  const meter = new LoudnessMeter();
  const packed: Packed[] = [];
  for (const block of blocks) {
    meter.add(...block);
    packed.push(pack(block));
  }
  let decibels = towards(0, meter.integrated());
  for (let pass = 1; pass < PASSES_MAX; pass++) {
    const error = LOUDNESS - loudnessAt(packed, decibels);
    if (!(Math.abs(error) > TOLERANCE)) break;
    decibels = towards(decibels, LOUDNESS - error);
  }
  yield* limited(packed, decibels);
}

/** The gain that is nearer, where `gain` gives the loudness `measured`. */
function towards(gain: number, measured: number): number {
  return Number.isFinite(measured) ? Math.min(GAIN_MAX, gain + LOUDNESS - measured) : gain;
}

function loudnessAt(packed: readonly Packed[], decibels: number): number {
  const meter = new LoudnessMeter();
  for (const block of limited(packed, decibels)) meter.add(...block);
  return meter.integrated();
}

function* limited(packed: readonly Packed[], decibels: number): Generator<Pair> {
  const limiter = new Limiter(packed[0]?.left.length ?? 0);
  const gain = 10 ** (decibels / 20);
  for (const block of packed) {
    const ready = limiter.pass(unpack(block, gain));
    if (ready) yield ready;
  }
  const last = limiter.pass(undefined);
  if (last) yield last;
}

/** A block in 16 bits a sample, relative to its own peak, so that soft ones stay as fine as loud ones. */
interface Packed {
  left: Int16Array;
  right: Int16Array;
  peak: number;
}

const SCALE = 32_767;

function pack([left, right]: Pair): Packed {
  let peak = 0;
  for (const side of [left, right]) {
    for (let i = 0; i < side.length; i++) peak = Math.max(peak, Math.abs(side[i] ?? 0));
  }
  const factor = peak > 0 ? SCALE / peak : 0;
  return { left: whole(left, factor), right: whole(right, factor), peak };
}

function whole(side: Float32Array, factor: number): Int16Array {
  const out = new Int16Array(side.length);
  for (let i = 0; i < side.length; i++) out[i] = Math.round((side[i] ?? 0) * factor);
  return out;
}

function unpack({ left, right, peak }: Packed, gain: number): Pair {
  const factor = (peak * gain) / SCALE;
  return [scaled(left, factor), scaled(right, factor)];
}

function scaled(side: Int16Array, factor: number): Float32Array {
  const out = new Float32Array(side.length);
  for (let i = 0; i < side.length; i++) out[i] = (side[i] ?? 0) * factor;
  return out;
}
