import type {
  Balance,
  Gateway,
  Gateways,
  OrderTerms,
  ReferenceFile,
  ResultStream,
  TelegramUser,
  Unsubscribe,
} from "../../contract/gateway.js";
import type { Job, JobId } from "../../contract/job.js";
import type { Model } from "../../contract/model.js";
import type { Accepted, GenerationRequest } from "../../contract/request.js";
import type { Database } from "../../database/database.js";
import { rublesOf } from "../../platform/money.js";
import { Recent } from "../../platform/recent.js";
import type { JobChanges } from "../jobs/job-changes.js";
import { EVERY_JOB, type JobReader } from "../jobs/job-reader.js";
import type { Submissions } from "../jobs/submissions.js";
import { balanceOf } from "../ledger/ledger-store.js";
import type { Accounts } from "./accounts.js";

export interface ChatGatewaysOptions {
  database: Database;
  accounts: Accounts;
  submissions: Submissions;
  jobs: JobReader;
  changes: JobChanges;
  models: readonly Model[];
  publishReference: (accountId: number, file: ReferenceFile) => Promise<string>;
  isLocalPreview: boolean;
}

/** How many people's gateways are kept in memory. */
const KNOWN_MAX = 10_000;

/** The door of the chat: each Telegram user's own account of this service. */
export class ChatGateways implements Gateways {
  readonly submitIsExactlyOnce = true;
  readonly isLocalPreview: boolean;
  readonly #options: ChatGatewaysOptions;
  /** One promise for all: every tap asks twice. */
  readonly #models: Promise<readonly Model[]>;
  /** By Telegram id. A person's account never becomes another one. */
  readonly #known = new Recent<number, Promise<Gateway>>(KNOWN_MAX);

  constructor(options: ChatGatewaysOptions) {
    this.#options = options;
    this.#models = Promise.resolve(options.models);
    this.isLocalPreview = options.isLocalPreview;
  }

  of(user: TelegramUser): Promise<Gateway> {
    const known = this.#known.get(user.id);
    if (known) return known;
    const found = this.#options.accounts
      .idOf(user)
      .then((id) => new ChatGateway(this.#options, this.#models, id));
    this.#known.set(user.id, found);
    found.catch(() => this.#known.delete(user.id));
    return found;
  }

  onJobChange(listener: (id: JobId) => void): Unsubscribe {
    return this.#options.changes.subscribe(listener);
  }
}

class ChatGateway implements Gateway {
  readonly #options: ChatGatewaysOptions;
  readonly #accountId: number;
  readonly #models: Promise<readonly Model[]>;

  constructor(options: ChatGatewaysOptions, models: Promise<readonly Model[]>, accountId: number) {
    this.#options = options;
    this.#models = models;
    this.#accountId = accountId;
  }

  async balance(): Promise<Balance> {
    return { currency: "RUB", amount: rublesOf(balanceOf(this.#options.database, this.#accountId)) };
  }

  models(): Promise<readonly Model[]> {
    return this.#models;
  }

  submit(request: GenerationRequest, order: OrderTerms): Promise<Accepted> {
    const { id: orderId, quotedKopecks } = order;
    const terms = { accountId: this.#accountId, origin: "bot", orderId, quotedKopecks } as const;
    return this.#options.submissions.submit(request, terms);
  }

  async job(id: JobId): Promise<Job> {
    return this.#options.jobs.job(this.#accountId, id, EVERY_JOB);
  }

  openResult(id: JobId, index: number): Promise<ResultStream> {
    return this.#options.jobs.openResult(this.#accountId, id, index, EVERY_JOB);
  }

  openCover(id: JobId, index: number): Promise<ResultStream | undefined> {
    return this.#options.jobs.openCover(this.#accountId, id, index, EVERY_JOB);
  }

  publishReference(file: ReferenceFile): Promise<string> {
    return this.#options.publishReference(this.#accountId, file);
  }
}
