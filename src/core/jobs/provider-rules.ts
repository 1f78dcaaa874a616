import { readStoredForm } from "../../mapping/sold-operation.js";
import { SECOND_MS } from "../../platform/units.js";
import type { OnQueue, Outcome, Provider, ProviderState, Renderer, Upstream } from "../../ports/provider.js";
import type { JobOperations } from "./job-operations.js";
import { requestOf } from "./job-request.js";
import type { JobRow } from "./job-store.js";
import type { Fetched } from "./references.js";

export const ATTEMPTS_MAX = 5;
/** Time beyond the renderer's own deadline before its job is ended. */
const GRACE_MS = 10_000;

/** Says what a queue does for jobs of its provider. Nothing else tells renderers and services apart. */
export interface ProviderRules {
  /** Undefined for a provider that always takes jobs. */
  readonly state: ProviderState | undefined;
  /** Limits running jobs while new ones start. */
  readonly newJobsMax: number;
  /** Limits the starts of a job that was interrupted. */
  readonly startsMax: number;
  /** Deadline of a run, in ms; undefined where the provider ends its runs itself. */
  readonly runMaxMs: number | undefined;
  /** True when a started job goes on at its service without a slot of ours. */
  readonly goesOnElsewhere: boolean;
  /** True when the references of a job that was started before are needed again. */
  needsReferences(jobId: number): boolean;
  /** How long a job may wait while its service is away, in ms. */
  heldMaxMs(job: JobRow): number;
  forget(jobId: number): void;
  run(job: JobRow, fetched: Fetched, signal: AbortSignal, onQueue: OnQueue): Promise<Outcome>;
}

export interface ProviderRulesOptions {
  operations: Pick<JobOperations, "of" | "keptOf">;
  timeoutMs: number;
}

export function rulesOf(provider: Provider, options: ProviderRulesOptions): ProviderRules {
  return provider.kind === "renderer"
    ? rulesOfRenderer(provider, options)
    : rulesOfUpstream(provider, options);
}

function rulesOfRenderer(
  renderer: Renderer,
  { timeoutMs }: Pick<ProviderRulesOptions, "timeoutMs">,
): ProviderRules {
  return {
    state: undefined,
    get newJobsMax() {
      return renderer.concurrency;
    },
    startsMax: ATTEMPTS_MAX,
    runMaxMs: timeoutMs + GRACE_MS,
    goesOnElsewhere: false,
    needsReferences: () => true,
    heldMaxMs: () => 0,
    forget: () => {},
    run: (job, fetched, signal) => renderer.run(taskOf(job, fetched), signal),
  };
}

function rulesOfUpstream(
  upstream: Upstream,
  { operations }: Pick<ProviderRulesOptions, "operations">,
): ProviderRules {
  return {
    get state() {
      return upstream.state;
    },
    get newJobsMax() {
      return upstream.newJobsMax;
    },
    startsMax: Number.POSITIVE_INFINITY,
    runMaxMs: undefined,
    goesOnElsewhere: true,
    needsReferences: (jobId) => !upstream.hasAttempt(jobId),
    heldMaxMs(job) {
      const stored = operations.of(job, upstream);
      const sold = stored === undefined ? undefined : readStoredForm(stored);
      // A job that cannot be read is refunded at once.
      return (sold?.operation.poll.deadline_sec ?? 0) * SECOND_MS;
    },
    forget: (jobId) => upstream.forget(jobId),
    async run(job, fetched, signal, onQueue) {
      const operation = await operations.keptOf(job, upstream);
      signal.throwIfAborted();
      return upstream.run({ ...taskOf(job, fetched), accountId: job.account_id, operation }, signal, onQueue);
    },
  };
}

function taskOf({ id, request, model, seed, tracks }: JobRow, { directory, references }: Fetched) {
  return { jobId: id, request: requestOf(request), model, seed, tracks, references, directory };
}
