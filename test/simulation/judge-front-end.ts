import type { Facts } from "./facts.js";
import { judgeMessages } from "./judge-messages.js";
import { PATHS } from "./paths/paths.js";
import { countNames, nameOf, type Rows, repeatedIn } from "./rows.js";
import { type ApiJob, type Post, type SimApi, wordsOf } from "./sim-api.js";
import { ADMIN_ID } from "./surroundings.js";

/** A price is read so short a time before its POST that all of it is over by then. */
const PRICE_READ_MS = 15_000;

type OrderRow = Rows["orders"][number];

/** What is wrong with the orders of a front-end, and with what it spent elsewhere. */
export function judgeFrontEnd(rows: Rows, facts: Facts): string[] {
  const { telegram, api, isCalm, crashes } = facts;
  const made = rows.orders.flatMap(({ jobIds }) => api.jobs.filter(({ id }) => jobIds.includes(id)));
  const names = new Map(api.jobs.map((job) => [String(job.id), nameOfJob(job)]));
  const due = made.filter(({ isFailing }) => !isFailing).map(nameOfJob);
  return [
    ...rows.orders.flatMap((order) => judgeOrder(order, rows, api)),
    ...judgeShares(rows),
    ...(api.isIdempotent ? judgeKeyed(rows, api) : judgePosts(rows, api.posts)),
    ...(crashes === 0 ? judgeDoubts(rows, api.posts) : []),
    ...Object.values(PATHS).flatMap((path) => (path.way === "front_end" ? (path.judge?.(facts) ?? []) : [])),
    ...judgeMessages(telegram, { nameOf: (id) => names.get(id), due, isCalm }),
  ];
}

/** Done with all of its jobs and their sum, refused and free, or uncertain and told. */
function judgeOrder(
  { id, name, state, jobIds, quoted_kopecks: quoted }: OrderRow,
  { orders, records, spending }: Rows,
  api: SimApi,
): string[] {
  const spent = spending
    .filter((entry) => entry.order_id === id)
    .reduce((sum, entry) => sum + entry.amount, 0);
  if (state === "uncertain") return judgeTold(id, records);
  if (state === "refused") return spent === 0 ? [] : [`order ${id} was refused, and spent ${spent}`];
  if (state !== "closed") return [`order ${id} is ${state}`];
  const jobs = api.jobs.filter((job) => jobIds.includes(job.id));
  const cost = jobs.reduce((sum, job) => sum + job.kopecks, 0);
  const isPriceKnown = jobs.every(({ id, pricedForMs }) => pricedForMs > PRICE_READ_MS && !api.named.has(id));
  // An answer that was cut tells the jobs, and maybe no sum: the quote stands, unless a repeat told the sum.
  const posts = api.posts.filter(({ prompt }) => nameOf(prompt) === name);
  const isOnlyOne = orders.filter((order) => order.name === name).length === 1;
  const isSumHeard =
    posts.every(({ heard }) => heard !== undefined) ||
    (isOnlyOne && posts.some(({ heard = 0 }) => heard >= 200 && heard < 300));
  const sum = api.accounts ? 0 : cost;
  return [
    ...(cost === quoted || !isPriceKnown ? [] : [`order ${id} cost ${cost}, and its button said ${quoted}`]),
    ...(jobs.length === jobIds.length ? [] : [`order ${id} has ${jobIds}, which nobody made`]),
    ...(spent === sum || (!isSumHeard && spent === quoted) ? [] : [`order ${id} of ${cost} spent ${spent}`]),
  ];
}

function judgeTold(id: string, records: Rows["records"]): string[] {
  const record = records.find(({ order_id }) => order_id === id);
  const isTold = record?.isPersonTold === 1 && record.told_admin_ids.includes(String(ADMIN_ID));
  return isTold ? [] : [`nobody was told that order ${id} is uncertain`];
}

function judgeShares({ orders }: Rows): string[] {
  return repeatedIn(orders.flatMap(({ jobIds }) => jobIds)).map((job) => `job ${job} has two orders`);
}

/** At most one POST an order may have been accepted. */
function judgePosts({ orders }: Rows, posts: readonly Post[]): string[] {
  const asked = countNames(orders.map(({ name }) => name));
  const paid = posts.filter((post) => post.heard === 200 || isInDoubt(post));
  return [...countNames(paid.map(({ prompt }) => nameOf(prompt)))].flatMap(([name, count]) =>
    count > (asked.get(name) ?? 0) ? [`${count} POSTs for ${asked.get(name) ?? 0} orders of ${name}`] : [],
  );
}

/** Each POST has the key of its order, and makes no second job. */
function judgeKeyed({ orders, records }: Rows, { posts, jobs }: SimApi): string[] {
  const strange = posts.filter(({ idempotencyKey: key }) => !orders.some(({ id }) => id === key));
  const owners = countNames(orders.flatMap(({ jobIds }) => jobIds.map(String)));
  // Of an uncertain order nobody knows the jobs, and an admin may have settled it with the wrong answer.
  const doubted = new Set(records.map(({ order_id }) => order_id));
  const lost = jobs.filter(({ id, idempotencyKey: key }) => {
    const isAsked = orders.some((one) => one.id === key);
    return isAsked && key !== undefined && !doubted.has(key) && !owners.has(String(id));
  });
  return [
    ...strange.map(({ prompt }) => `a POST of ${nameOf(prompt)} has no key of an order`),
    ...lost.map(({ id, idempotencyKey: key }) => `job ${id} of order ${key} was made, and is not its own`),
  ];
}

/** Nothing is uncertain that was certain. */
function judgeDoubts({ orders, records }: Rows, posts: readonly Post[]): string[] {
  const inDoubt = countNames(posts.filter(isInDoubt).map(({ prompt }) => nameOf(prompt)));
  const told = records.flatMap(({ order_id }) => orders.filter(({ id }) => id === order_id));
  return [...countNames(told.map(({ name }) => name))].flatMap(([name, count]) =>
    count > (inDoubt.get(name) ?? 0)
      ? [`${count} orders of ${name} were uncertain, of ${inDoubt.get(name) ?? 0} in doubt`]
      : [],
  );
}

/** Its sender heard neither that it was accepted nor that it was not. */
function isInDoubt({ heard }: Post): boolean {
  return heard === undefined || heard >= 500;
}

function nameOfJob({ request }: ApiJob): string {
  return nameOf(wordsOf(request));
}
