/** Samples a second of everything in a track. */
export const SAMPLE_RATE = 44_100;
/** Samples between two looks at envelopes and vibrato. */
export const CONTROL_STEP = 32;
