import type { Rows } from "./rows.js";
import type { MachinePost, SimMachine } from "./sim-machine.js";

/** A key makes the jobs of one request, whatever is sent again; without one each request makes its own. */
export function judgeMachines(rows: Rows, machines: readonly SimMachine[]): string[] {
  return machines.flatMap(({ posts }) =>
    posts.filter(({ isLost }) => !isLost).flatMap((post) => judgePost(post, rows)),
  );
}

function judgePost({ name, key, count, accepted, lost }: MachinePost, { jobs, entries }: Rows): string[] {
  const made = jobs.filter((job) => job.name === name);
  const cost = made.reduce((sum, job) => sum + job.cost, 0);
  const ids = made.map(({ id }) => id);
  const charged = entries
    .filter(({ kind, job_id: job }) => kind === "charge" && job !== null && ids.includes(job))
    .reduce((sum, { amount }) => sum + amount, 0);
  const wrong: string[] = [];
  const answers = new Set(accepted.map(String));
  const requests = key === undefined ? accepted.length : answers.size;
  if (key !== undefined && answers.size > 1)
    wrong.push(`${name} with ${key} is ${[...answers].join(" and ")}`);
  const most = key === undefined ? requests + lost : 1;
  if (made.length < count * requests || made.length > count * most)
    wrong.push(`${name} has ${made.length} jobs, of ${requests} to ${most} requests for ${count}`);
  if (charged !== -cost) wrong.push(`${name} of ${cost} was charged ${charged}`);
  return wrong;
}
