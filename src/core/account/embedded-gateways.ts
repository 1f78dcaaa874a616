import type { Job, JobId } from "../../contract/job.js";
import type { Model } from "../../contract/model.js";
import { type Kopecks, rublesOf } from "../../contract/money.js";
import type { Accepted, GenerationRequest } from "../../contract/request.js";
import type { Database } from "../../database/database.js";
import { BoundedMap } from "../../platform/bounded-map.js";
import type {
  Balance,
  Gateway,
  GatewayJob,
  Gateways,
  OrderTerms,
  ReferenceFile,
  ResultFile,
  User,
} from "../../ports/gateway.js";
import { chatJob } from "../jobs/chat-job.js";
import { EVERY_JOB, type JobReader } from "../jobs/job-reader.js";
import type { QueuePlaces } from "../jobs/queue-places.js";
import type { LostResults } from "../jobs/refund-lost.js";
import type { Submissions } from "../jobs/submissions.js";
import { balanceOf } from "../ledger/ledger-store.js";
import type { Accounts } from "./accounts.js";

export interface EmbeddedGatewaysOptions {
  database: Database;
  accounts: Accounts;
  submissions: Submissions;
  jobs: JobReader;
  places: QueuePlaces;
  models: () => readonly Model[];
  publishReference: (accountId: number, file: ReferenceFile) => Promise<string>;
  refundLost: (lost: LostResults) => Promise<Kopecks>;
}

const KNOWN_MAX = 10_000;

export class EmbeddedGateways implements Gateways {
  readonly #options: EmbeddedGatewaysOptions;
  /** Gateways by user id. A user's account id never changes. */
  readonly #known = new BoundedMap<number, Promise<Gateway>>(KNOWN_MAX);

  constructor(options: EmbeddedGatewaysOptions) {
    this.#options = options;
  }

  of(user: User): Promise<Gateway> {
    const known = this.#known.get(user.id);
    if (known) return known;
    const found = this.#options.accounts.idOf(user).then((id) => new ChatGateway(this.#options, id));
    this.#known.set(user.id, found);
    found.catch(() => this.#known.delete(user.id));
    return found;
  }

  ofOrder(_orderId: string, user: User): Promise<Gateway> {
    return this.of(user);
  }
}

class ChatGateway implements Gateway {
  readonly #options: EmbeddedGatewaysOptions;
  readonly #accountId: number;

  constructor(options: EmbeddedGatewaysOptions, accountId: number) {
    this.#options = options;
    this.#accountId = accountId;
  }

  async balance(): Promise<Balance> {
    return { currency: "RUB", amount: rublesOf(balanceOf(this.#options.database, this.#accountId)) };
  }

  async models(): Promise<readonly Model[]> {
    return this.#options.models();
  }

  submit(request: GenerationRequest, order: OrderTerms): Promise<Accepted> {
    const { id: orderId, quotedKopecks } = order;
    const terms = { accountId: this.#accountId, origin: "bot", orderId, quotedKopecks } as const;
    return this.#options.submissions.submit(request, terms);
  }

  async job(id: JobId): Promise<GatewayJob> {
    return chatJob(this.#options, this.#accountId, id);
  }

  async results({ job_id }: Job): Promise<readonly ResultFile[]> {
    return this.#options.jobs.results(this.#accountId, job_id, EVERY_JOB);
  }

  refundLost(orderId: string, jobIds: readonly JobId[]): Promise<Kopecks> {
    return this.#options.refundLost({ accountId: this.#accountId, orderId, jobIds });
  }

  publishReference(file: ReferenceFile): Promise<string> {
    return this.#options.publishReference(this.#accountId, file);
  }
}
