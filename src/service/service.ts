import type { ProviderState } from "../catalogue/choose-provider.js";
import type { Api } from "../jobs/api.js";
import type { Figures } from "../jobs/margin-report.js";
import type { FindSignedFile } from "../media/links.js";
import type { Period } from "../platform/clock.js";
import type { Collector } from "../platform/metric.js";
import type { Gateways, JobFeed } from "../ports/gateway.js";
import type { Callbacks } from "../providers/callbacks.js";
import type { TillHooks } from "../tills/till.js";
import type { ServiceAccounts } from "./accounts.js";

export interface ServiceRoutes {
  files: FindSignedFile;
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
