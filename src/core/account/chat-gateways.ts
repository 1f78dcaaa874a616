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

/** The door of the chat: each Telegram user's own account of this service. */
export class ChatGateways implements Gateways {
  readonly submitIsExactlyOnce = true;
  readonly isLocalPreview: boolean;
  readonly #options: ChatGatewaysOptions;

  constructor(options: ChatGatewaysOptions) {
    this.#options = options;
    this.isLocalPreview = options.isLocalPreview;
  }

  async of(user: TelegramUser): Promise<Gateway> {
    return new ChatGateway(this.#options, await this.#options.accounts.idOf(user));
  }

  onJobChange(listener: (id: JobId) => void): Unsubscribe {
    return this.#options.changes.subscribe(listener);
  }
}

class ChatGateway implements Gateway {
  readonly #options: ChatGatewaysOptions;
  readonly #accountId: number;

  constructor(options: ChatGatewaysOptions, accountId: number) {
    this.#options = options;
    this.#accountId = accountId;
  }

  async balance(): Promise<Balance> {
    return { currency: "RUB", amount: rublesOf(balanceOf(this.#options.database, this.#accountId)) };
  }

  async models(): Promise<readonly Model[]> {
    return this.#options.models;
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
