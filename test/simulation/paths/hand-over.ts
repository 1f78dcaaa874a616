import { z } from "zod";
import { MOODS } from "../mood.js";
import { entryAgain } from "../planted.js";
import { SimKie } from "../sim-kie.js";
import type { SimPath } from "./path.js";

const made = z.object({ id: z.int(), provider: z.string(), maker: z.string() });
/** Of each job that was made, the service that has its task is the one of the row. */
const MADE_ELSEWHERE = `
  SELECT job.id, job.provider, attempt.provider AS maker FROM job JOIN attempt ON attempt.job_id = job.id
  WHERE status = 'done' AND attempt.ref IS NOT NULL AND attempt.late = 0 AND attempt.provider <> job.provider`;

/** Two services side by side: what one surely did not make goes to the other, as the same job and charge. */
export const handOver: SimPath = {
  rulesOf: (random, clock) => ({ kie: new SimKie(clock, random) }),
  actsOf: ({ world, someone, random }) => [
    [
      4,
      () => {
        const services = [world.fal, ...(world.rules.kie ? [world.rules.kie] : [])];
        const service = random.pick(services);
        const mood = random.pick(MOODS);
        if (service) service.mood = mood;
        // What a service was asked for before may wait until its pause is over.
        world.rules.callbacks?.forget();
        return `${service === world.fal ? "fal" : "kie"} is ${mood}`;
      },
    ],
    [14, () => someone(3).act()],
  ],
  judge: ({ reader }) =>
    reader
      .all(made, MADE_ELSEWHERE)
      .map(({ id, provider, maker }) => `job ${id} of ${provider} was made by ${maker}`),
  planted: {
    "a doubt that is taken for a task that was not made": { isDoubtUnread: true, themes: ["services"] },
    "a hand-over that is charged again": {
      after: {
        label: "job:hand-over",
        sql: entryAgain(
          "kind = 'charge' AND job_id IN (SELECT id FROM job WHERE declined_by <> '[]')",
          "job_id",
          "order_id",
        ),
      },
    },
  },
};
