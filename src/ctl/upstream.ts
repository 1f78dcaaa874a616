import type { Command } from "commander";
import { countPeople } from "../bot/people/people.js";
import { type Kopecks, rublesOf } from "../contract/price.js";
import { publicJobId } from "../jobs/job-store.js";
import { leftIn, marginIn, readMargins, readSummary } from "../jobs/margin-report.js";
import { ATTEMPT_STATES, type AttemptState } from "../jobs/order-reader.js";
import {
  type ListedAttempt,
  listAttempts,
  type UpstreamRecord,
  upstreamRecord,
} from "../jobs/upstream-records.js";
import { type Period, systemClock } from "../platform/clock.js";
import { DAY_MS } from "../platform/units.js";
import { isoTime } from "../platform/zoned-time.js";
import { type MoneyIn, readMoneyIn } from "../tills/payment-book.js";
import { CommandError, type CommandResult, type Context, readCount, table } from "./context.js";

const DAYS_MAX = 36_500;

/** Adds `stats`: what models and providers earn. */
export function statsCommand(program: Command, context: Context): void {
  program
    .command("stats")
    .description("income, refunds, cost and margin by model and provider")
    .option("--days <N>", "of the jobs of the last days; of all jobs by default")
    .option("--summary", "people, orders, money by till, failures and the queue, as /stats of the bot")
    .action(async ({ days, summary }: { days?: string; summary?: true }) => {
      if (summary) return context.answer(await summaryAnswer(context, periodOf(days)));
      const { rates } = context.catalogue();
      const period = periodOf(days);
      const [found, moneyIn] = await context.withCore("services and jobs", (database) =>
        Promise.all([readMargins(database, rates, period.from), readMoneyIn(database, period)]),
      );
      const columns = {
        model: "model",
        provider: "provider",
        jobs: "jobs",
        "income, RUB": "income",
        "refunds, RUB": "refunds",
        cost: ({ cost }: (typeof found)[number]) =>
          cost.map(({ amount, currency }) => `${amount} ${currency}`).join(", ") || null,
        "margin, RUB": "margin",
      } as const;
      const came = table(Object.entries(moneyInJson(moneyIn)), { "came in, RUB": 0, amount: 1 });
      context.answer({ json: found, text: `${came}\n\n${table(found, columns)}` });
    });
}

/** Real money apart from what was given. */
function moneyInJson({ paid, returned, gifts, rewards, corrections }: MoneyIn) {
  return {
    paid_in: rublesOf(paid),
    taken_back: rublesOf(returned),
    gifts: rublesOf(gifts),
    rewards: rublesOf(rewards),
    corrections: rublesOf(corrections),
  };
}

/** Returns the last days until now, or all the time where no number of days is given. */
function periodOf(given: string | undefined): Period {
  const now = systemClock.now();
  if (given === undefined) return { from: 0, until: now + 1 };
  return { from: now - readCount(given, "days", DAYS_MAX) * DAY_MS, until: now + 1 };
}

/** Tells what `/stats` of the bot shows. */
async function summaryAnswer(context: Context, period: Period): Promise<CommandResult> {
  const { rates } = context.catalogue();
  const [{ whole, moneyIn, queue }, people] = await context.withCore("jobs and ledger", (database) =>
    Promise.all([readSummary(database, rates, period), countPeople(database, period)]),
  );
  const rubles = (kopecks: Kopecks | null) => (kopecks === null ? null : rublesOf(kopecks));
  const figures = {
    ...moneyInJson(moneyIn),
    people_new: people.fresh,
    people_returning: people.returning,
    orders: whole.orders,
    buyers: whole.buyers,
    income: rubles(whole.income),
    refunds: rubles(whole.refunds),
    cost: rubles(whole.cost),
    margin: rubles(marginIn(whole)),
    left_of_paid_in: rubles(leftIn(moneyIn, whole)),
    queue_waiting: queue.waiting,
    queue_generating: queue.generating,
    queue_oldest_at: isoTime(queue.oldestAt),
  };
  const top_ups = moneyIn.tills.map(({ till, paid, returned }) => ({
    till,
    paid: rublesOf(paid),
    returned: rublesOf(returned),
  }));
  const failures = whole.failures.map(({ title, failure, jobs }) => ({
    model: title,
    reason: failure,
    jobs,
  }));
  const text = [
    table(Object.entries(figures), { figure: 0, value: 1 }),
    table(top_ups, { till: "till", "paid, RUB": "paid", "returned, RUB": "returned" }),
    table(failures, { "failed model": "model", reason: "reason", jobs: "jobs" }),
  ];
  return { json: { ...figures, top_ups, failures }, text: text.join("\n\n") };
}

/** Limits a line. A refusal may name many nodes or fields. */
const REASON_MAX = 300;

export function attemptCommands(program: Command, context: Context): void {
  const attempt = program.command("attempt").description("submissions of jobs to services");

  attempt
    .command("list")
    .description("every attempt, newest first")
    .option("--state <S>", `only those in a state: ${ATTEMPT_STATES.join(", ")}`)
    .action(async ({ state }: { state?: string }) => {
      const found = await context.withCore("services and jobs", (database) =>
        listAttempts(database, readState(state)),
      );
      context.answer({ json: found.map(attemptJson), text: table(found, ATTEMPT_COLUMNS) });
    });
}

function readState(given: string | undefined): AttemptState | null {
  if (given === undefined) return null;
  const state = ATTEMPT_STATES.find((known) => known === given);
  if (state === undefined)
    throw new CommandError(`${JSON.stringify(given)} is no state: ${ATTEMPT_STATES.join(", ")}`);
  return state;
}

function attemptJson({ attempt_id, job_id, type, provider, state, ref, late, submitted_at }: ListedAttempt) {
  return {
    attempt_id,
    job_id: String(publicJobId(type, job_id)),
    provider,
    state,
    ref: ref === null ? null : (JSON.parse(ref) as unknown),
    late: late === 1,
    submitted_at: isoTime(submitted_at),
  };
}

/** A line has the reason as well, which the fixed shape of `--json` lacks. */
const ATTEMPT_COLUMNS = {
  attempt: "attempt_id",
  job: ({ type, job_id }: ListedAttempt) => String(publicJobId(type, job_id)),
  provider: "provider",
  state: "state",
  late: ({ late }: ListedAttempt) => (late === 1 ? "late" : null),
  submitted: ({ submitted_at }: ListedAttempt) => isoTime(submitted_at),
  reference: ({ ref }: ListedAttempt) => ref,
  reason: ({ detail }: ListedAttempt) => (detail === null ? null : shortened(detail)),
} as const;

function shortened(reason: string): string {
  const characters = [...reason];
  return characters.length > REASON_MAX ? `${characters.slice(0, REASON_MAX - 1).join("")}…` : reason;
}

export function upstreamCommands(program: Command, context: Context): void {
  const upstream = program.command("upstream").description("the services that make files");

  upstream
    .command("list")
    .description("every service of PROVIDERS")
    .action(async () => {
      const found = await context.withCore("services and jobs", (database) =>
        context.settings().upstreams.map((name) => upstreamRecord(database, name)),
      );
      const shown = found.map(upstreamJson);
      const columns = {
        provider: "provider",
        state: "state",
        "in flight": "in_flight",
        "paused for": "paused_reason",
      } as const;
      context.answer({ json: shown, text: table(shown, columns) });
    });

  upstream
    .command("resume <NAME>")
    .description("try a service now that takes no tasks, such as once its account is in order")
    .action(async (name: string) => {
      const { upstreams, resumeUpstream } = context.settings();
      const isUp = await context.withCore("services and jobs", (database) => {
        if (!upstreams.includes(name)) {
          const known = upstreams.join(", ") || "none";
          throw new CommandError(`${JSON.stringify(name)} is no service of PROVIDERS (${known})`);
        }
        return resumeUpstream(database, name);
      });
      if (!isUp)
        throw new CommandError(
          `the running service has not confirmed it yet: it tries ${name} once it reads the request; see "ctl upstream list"`,
        );
      context.answer({ json: { provider: name, state: "up" }, text: `${name} takes jobs again` });
    });
}

function upstreamJson({ name, inFlight, state }: UpstreamRecord) {
  return {
    provider: name,
    state: state?.state ?? "up",
    in_flight: inFlight,
    paused_reason: state?.reason ?? null,
  };
}
