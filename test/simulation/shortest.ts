import { simulate, type Verdict } from "./simulate.js";

/** The verdict of the fewest first acts that still fail: where they go wrong together, fewer are easier to read. */
export async function shortest(failed: Verdict): Promise<Verdict> {
  let [most, least] = [failed.acts, 0];
  let found = failed;
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    const verdict = await simulate(failed.seed, { way: failed.way, actsMax: middle });
    if (verdict.wrong.length > 0) [most, found] = [middle, verdict];
    else least = middle + 1;
  }
  return found;
}
