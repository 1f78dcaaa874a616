import type { ServiceAccounts } from "./accounts.js";
import type { Api } from "./api.js";
import type { Callbacks } from "./callbacks.js";
import type { Figures, Period } from "./figures.js";
import type { Gateways } from "./gateway.js";
import type { JobFeed } from "./job-feed.js";
import type { ProviderState } from "./provider.js";
import type { SignedFiles } from "./signed-files.js";
import type { TillHooks } from "./till.js";

export interface ServiceRoutes {
  files: SignedFiles;
  /** Absent where the Generation API runs elsewhere. */
  api: Api | undefined;
  /** Absent where no service is given an address to call. */
  callbacks?: Callbacks;
  /** Absent where no till is called. */
  tillHooks?: TillHooks;
}

export interface HealthCheck {
  /** Name of a failed check in the answer of `/readyz`. */
  name: string;
  isGood(): Promise<boolean>;
}

export interface Metric {
  name: string;
  help: string;
  kind: "counter" | "gauge";
  samples: readonly { labels?: Readonly<Record<string, string>>; value: number }[];
}

/** Reads the current values of metrics. The names and labels of a collector do not change. */
export type Collector = () => Promise<readonly Metric[]>;

/** A listed provider that hands its jobs to a service elsewhere. */
export interface UpstreamStatus {
  name: string;
  state: ProviderState;
  /** Numbers of active models that it makes; `off`: those that nobody takes jobs for now. */
  models: { count: number; off: number };
  /** Ends its pause, or its wait: the next task shows what is so. */
  resume(): void;
}

/** Serves bot and HTTP server: in this process, or elsewhere. */
export interface Service {
  gateways: Gateways;
  jobFeed: JobFeed;
  accounts: ServiceAccounts;
  routes: ServiceRoutes;
  healthChecks: readonly HealthCheck[];
  collectors: readonly Collector[];
  /** Lists providers in order of preference; none where they are listed elsewhere. */
  upstreams(): readonly UpstreamStatus[];
  /** Sums what was sold in each period. Absent where orders are taken elsewhere. */
  figures?(periods: readonly Period[]): Promise<readonly Figures[]>;
  start(): Promise<void>;
  /** Resolves within about six seconds. Interrupted work resumes at the next start. */
  stop(): Promise<void>;
}
