const LOOP_NUMBERS = 1 << 20;
const LOOP_ROUNDS = 33;
/** What the loop takes on the machine that the figures were set for, in s. */
const LOOP_USUALLY_SEC = 0.08;

/**
 * CPU time of this process for some work, in seconds of a usual machine: what a loop of fixed length takes before
 * and after it tells how fast this one is just now. One whose cores others use too may take half as long again.
 */
export async function usualSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = await cpuSeconds(async () => loop());
  const seconds = await cpuSeconds(work);
  const after = await cpuSeconds(async () => loop());
  return (seconds * LOOP_USUALLY_SEC) / ((before + after) / 2);
}

async function cpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

function loop(): number {
  const numbers = new Float64Array(LOOP_NUMBERS);
  for (let round = 0; round < LOOP_ROUNDS; round += 1)
    for (let place = 0; place < LOOP_NUMBERS; place += 1)
      numbers[place] = (numbers[place] ?? 0) * 0.5 + Math.sqrt(place + round);
  return numbers[LOOP_NUMBERS - 1] ?? 0;
}
