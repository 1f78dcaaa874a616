import fc from "fast-check";

/**
 * Properties run with the same cases each time, so that a change cannot fail for a reason that it did not bring.
 * `FC_SEED=random npm test` looks for new ones; `FC_SEED=<number>` repeats a run.
 */
const seed = process.env.FC_SEED ?? "20261123";
if (seed !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });

export default fc;
