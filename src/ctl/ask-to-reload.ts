import type { ReloadRequests } from "../core/core.js";
import { sleep, systemClock } from "../platform/clock.js";
import { CommandError } from "./command-error.js";

const LOOKS = 100;
const LOOK_EVERY_MS = 100;

/** Asks the service and waits for its answer. Throws CommandError: why nothing was changed, or that none answers. */
export async function askToReload(requests: ReloadRequests): Promise<void> {
  const id = await requests.ask();
  for (let look = 0; look < LOOKS; look += 1) {
    const outcome = requests.outcomeOf(id);
    if (outcome?.problem) throw new CommandError(outcome.problem);
    if (outcome) return;
    await sleep(systemClock, LOOK_EVERY_MS);
  }
  throw new CommandError(
    `no service has answered in ${(LOOKS * LOOK_EVERY_MS) / 1000} s: the file is good, and the next start reads it`,
  );
}
