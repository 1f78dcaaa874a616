import { z } from "zod";
import { MOODS } from "../mood.js";
import { entryAgain } from "../planted.js";
import { SimKie } from "../sim-kie.js";
import type { SimPath } from "./path.js";

const charges = z.object({ id: z.int(), charges: z.int() });
/** Charges of jobs that have changed hands, by the first job of each order. */
const CHARGED = `
  SELECT job.id, count(entry.id) AS charges FROM job
  LEFT JOIN ledger_entry AS entry ON entry.job_id = job.id AND entry.kind = 'charge'
  WHERE declined_by <> '[]' AND job.cost > 0 GROUP BY job.id HAVING count(entry.id) > 1`;
const made = z.object({ id: z.int(), provider: z.string(), maker: z.string() });
/** Of each job that was made, the service that has its task is the one of the row. */
const MADE_ELSEWHERE = `
  SELECT job.id, job.provider, attempt.provider AS maker FROM job JOIN attempt ON attempt.job_id = job.id
  WHERE status = 'done' AND attempt.ref IS NOT NULL AND attempt.late = 0 AND attempt.provider <> job.provider`;
const twice = z.object({ job_id: z.int(), takers: z.int() });
const TAKEN_TWICE = `
  SELECT job_id, count(*) AS takers FROM attempt WHERE ref IS NOT NULL
  GROUP BY job_id HAVING count(*) > 1`;

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
  judge: ({ reader }) => [
    ...reader
      .all(charges, CHARGED)
      .map((job) => `job ${job.id} was handed over, and charged ${job.charges} times`),
    ...reader
      .all(made, MADE_ELSEWHERE)
      .map(({ id, provider, maker }) => `job ${id} of ${provider} was made by ${maker}`),
    ...reader
      .all(twice, TAKEN_TWICE)
      .map(({ job_id, takers }) => `job ${job_id} was taken by services ${takers} times`),
  ],
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
