import { type Catalogue, loadCatalogue } from "../../../src/catalogue/catalogue.js";
import type { ServiceSettings } from "../../../src/catalogue/operation.js";
import { pollSteps } from "../../../src/providers/poll-schedule.js";
import { type PollDelay, pollDelay, RECORDED_WORK, type RecordedWork } from "../../support/poll-delay.js";
import type { Figure } from "../report.js";

const GOAL_PERCENT = 5;
/** Of the mapping, which counts where its service has no schedule. */
const NO_SCHEDULE = { first_ms: 10_000, every_ms: [10_000], deadline_sec: 600 };

/** How much later finished work is noticed because services are polled, by the catalogue's schedules. */
export async function measurePolling(): Promise<Figure[]> {
  const catalogue = loadCatalogue("data/catalogue.json");
  return RECORDED_WORK.flatMap((work) => figuresOf(catalogue, work));
}

function figuresOf({ services }: Catalogue, work: RecordedWork): Figure[] {
  const { service, kind, durationsSec } = work;
  const settings = services[service];
  if (!settings) throw new Error(`not in the catalogue: ${service}`);
  const alone = delays(settings, work, 1);
  const crowded = delays(settings, work, settings.concurrency);
  const percents = percentsOf(work, alone);
  const most = Math.max(...percents);
  const list = (values: readonly (number | string)[]) => values.join(", ");
  return [
    {
      what: `mean delay that polling adds to work of ${service} (${kind}), the worst duration`,
      measured: `${most.toFixed(1)} %`,
      goal: `≤ ${GOAL_PERCENT} %`,
      isReached: most <= GOAL_PERCENT,
    },
    {
      what: `   of each that lasts ${list(durationsSec)} s`,
      measured: list(percents.map((percent) => `${percent.toFixed(1)} %`)),
    },
    { what: "   polls of each", measured: list(alone.map(({ polls }) => polls.toFixed(0))) },
    {
      what: `   the delay with ${settings.concurrency} tasks in flight`,
      measured: list(percentsOf(work, crowded).map((percent) => `${percent.toFixed(1)} %`)),
    },
  ];
}

function delays(
  settings: ServiceSettings,
  { kind, durationsSec }: RecordedWork,
  inFlight: number,
): PollDelay[] {
  const steps = pollSteps({ poll: NO_SCHEDULE, output: { kind, files: "/", encoding: "url" } }, settings);
  const load = { inFlight, perSec: settings.polls_per_sec };
  return durationsSec.map((sec) => pollDelay(steps, load, sec * 1000));
}

function percentsOf({ durationsSec }: RecordedWork, measured: readonly PollDelay[]): number[] {
  return measured.map(({ meanMs }, index) => meanMs / 10 / (durationsSec[index] ?? 1));
}
