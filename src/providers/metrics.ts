import type { ProviderState } from "../catalogue/choose-provider.js";
import { ATTEMPT_STATES } from "../jobs/order-reader.js";
import { type Collector, counter, gauge, type Metric } from "../platform/metric.js";
import { ENDED } from "./attempt-store.js";
import type { HttpProvider } from "./http-provider.js";
import { CALLBACK_OUTCOMES } from "./service.js";
import type { Credit } from "./service-balance.js";

type Sample = Metric["samples"][number];
type Stats = HttpProvider["service"]["stats"];

export function upstreamCollector(providers: readonly HttpProvider[]): Collector {
  const of = (
    read: (provider: HttpProvider) => Iterable<readonly [Record<string, string>, number]>,
  ): Sample[] =>
    providers.flatMap((provider) =>
      [...read(provider)].map(([labels, value]) => ({
        labels: { provider: provider.name, ...labels },
        value,
      })),
    );
  const counts = (names: readonly string[], read: (stats: Stats) => ReadonlyMap<string, number>) =>
    of(({ service: { stats } }) =>
      names.map((outcome) => [{ outcome }, read(stats).get(outcome) ?? 0] as const),
    );
  const total = (read: (provider: HttpProvider) => number) => of((provider) => [[{}, read(provider)]]);
  const creditOf = (read: (credit: Credit) => number) =>
    of(({ balance: { current: credit } }) => (credit ? [[{ currency: credit.currency }, read(credit)]] : []));
  return async () => [
    gauge(
      "atelier_provider_up",
      "1 while the service takes tasks, 0 while it is paused, throttled or unreachable.",
      total(({ state }) => (state.kind === "up" ? 1 : 0)),
    ),
    gauge(
      "atelier_provider_state",
      "1 for the state that the service is in.",
      of(({ state }) => STATES.map((name) => [{ state: name }, state.kind === name ? 1 : 0] as const)),
    ),
    gauge(
      "atelier_provider_balance",
      "What is left on the account at the service, in its currency, where it tells that.",
      creditOf(({ balance }) => balance),
    ),
    gauge(
      "atelier_provider_spent_day",
      "What tasks sent in the last 24 hours cost at a service that tells its balance.",
      creditOf(({ spentDay }) => spentDay),
    ),
    gauge(
      "atelier_attempts",
      "Attempts that are open, or ambiguous, by state.",
      of(({ service: { store } }) => {
        const counts = store.countOpen();
        return OPEN.map((state) => [{ state }, counts[state] ?? 0] as const);
      }),
    ),
    counter(
      "atelier_attempts_ended_total",
      "Attempts by how they ended.",
      counts(ENDS, ({ ends }) => ends),
    ),
    counter(
      "atelier_upstream_submits_total",
      "POSTs of tasks, by what they came to.",
      counts(SUBMITS, ({ submits }) => submits),
    ),
    counter(
      "atelier_upstream_submit_seconds_total",
      "How long these POSTs took together.",
      total(({ service: { stats } }) => stats.submitMs / 1000),
    ),
    counter(
      "atelier_upstream_polls_total",
      "Polls of tasks, by what they came to.",
      of(({ service: { stats } }) =>
        Object.entries(stats.polls.counts).map(([outcome, count]) => [{ outcome }, count] as const),
      ),
    ),
    counter(
      "atelier_upstream_poll_lateness_seconds_total",
      "How much later than due these polls began together.",
      total(({ service: { stats } }) => stats.polls.latenessMs / 1000),
    ),
    counter(
      "atelier_upstream_late_polls_total",
      "Polls of tasks that began more than a second later than due.",
      total(({ service: { stats } }) => stats.polls.late),
    ),
    counter(
      "atelier_upstream_callbacks_total",
      "Calls of services about their tasks, by what became of them.",
      counts(CALLBACK_OUTCOMES, ({ callbacks }) => callbacks),
    ),
  ];
}

const STATES: readonly ProviderState["kind"][] = ["up", "paused", "throttled", "unreachable"];
const OPEN = ATTEMPT_STATES.filter((state) => !["stored", "refused", "failed", "cancelled"].includes(state));
const ENDS = [...ENDED, "timeout", "late"];
const SUBMITS = ["accepted", "ready", "refused", "declined", "throttled", "paused", "ambiguous", "not_sent"];
