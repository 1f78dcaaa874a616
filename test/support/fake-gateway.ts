import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { User } from "../../src/accounts/account-store.js";
import { ContractError, PriceChanged } from "../../src/contract/errors.js";
import type { Job, JobId } from "../../src/contract/job.js";
import type { Model } from "../../src/contract/model.js";
import type { Balance } from "../../src/contract/price.js";
import { asKopecks, type Kopecks, leftOf, NO_KOPECKS, rublesOf, sumOf } from "../../src/contract/price.js";
import type { Accepted, GenerationRequest } from "../../src/contract/request.js";
import type { Database } from "../../src/database/database.js";
import { readRequest } from "../../src/jobs/read-request.js";
import type {
  Gateway,
  GatewayJob,
  Gateways,
  JobFeed,
  OpenedFile,
  OrderTerms,
  ResultFile,
} from "../../src/ports/gateway.js";
import { catalogue } from "./core.js";
import { type FakeFile, FakeJob, type FakeJobFacts, LINK_ROOT } from "./fake-job.js";

export interface FakeServiceOptions {
  refundsLostFiles?: boolean;
  /** What links of results begin with. */
  linkRoot?: string;
  /** Where orders of its own process are written. */
  database?: Database;
}

type Operation = "balance" | "models" | "submit" | "publishReference";

const USER_ID = 7;

/** A service in memory, whose jobs end when a test says so. */
export class FakeService implements Gateways {
  readonly options: Required<Omit<FakeServiceOptions, "database">> & Pick<FakeServiceOptions, "database">;
  /** Every submission, refused ones included. */
  readonly submissions: { request: GenerationRequest; terms: OrderTerms }[] = [];
  readonly lostRefunds: { orderId: string; jobIds: readonly JobId[] }[] = [];
  /** Contents of published references, by link. */
  readonly published = new Map<string, string>();
  /** What the next calls fail with. */
  readonly faults = new Map<Operation, Error[]>();
  readonly jobs = new Map<JobId, FakeJob>();
  /** Result streams that are neither read to their end nor destroyed. */
  openFiles = 0;
  /** How often a result was opened. */
  opened = 0;
  readonly #gateways = new Map<number, FakeGateway>();
  readonly #watchers = new Set<() => void>();
  #nextJob = 1;

  constructor(options: FakeServiceOptions = {}) {
    this.options = { refundsLostFiles: true, linkRoot: LINK_ROOT, ...options };
  }

  readonly jobFeed: JobFeed = {
    watch: ({ user, jobIds }, listener) => {
      const gateway = this.gateway(user.id);
      let told = Promise.resolve();
      const tell = () => {
        const read = async () => {
          if (this.#watchers.has(tell))
            await listener(await Promise.all(jobIds.map((id) => gateway.job(id))));
        };
        told = told.then(read).catch(() => {});
      };
      this.#watchers.add(tell);
      tell();
      return () => this.#watchers.delete(tell);
    },
  };

  async of({ id }: User): Promise<FakeGateway> {
    return this.gateway(id);
  }

  ofOrder(_orderId: string, user: User): Promise<FakeGateway> {
    return this.of(user);
  }

  gateway(userId = USER_ID): FakeGateway {
    const known = this.#gateways.get(userId) ?? new FakeGateway(this, userId);
    this.#gateways.set(userId, known);
    return known;
  }

  failNext(operation: Operation, ...errors: readonly Error[]): void {
    this.faults.set(operation, [...(this.faults.get(operation) ?? []), ...errors]);
  }

  throwFault(operation: Operation): void {
    const fault = this.faults.get(operation)?.shift();
    if (fault) throw fault;
  }

  /** Adds a job that was not submitted here. */
  addJob(facts: Partial<FakeJobFacts> = {}): FakeJob {
    const type = facts.type ?? "image";
    const id = type === "music" ? `music_${this.#nextJob}` : this.#nextJob;
    const usual = {
      type,
      userId: USER_ID,
      orderId: "one",
      kopecks: asKopecks(1000),
      model: null,
      title: "Any",
    };
    const { linkRoot } = this.options;
    const job = new FakeJob({ id, request: {}, linkRoot, ...usual, ...facts });
    const number = Number(String(job.id).replace("music_", ""));
    this.#nextJob = Math.max(this.#nextJob, number) + 1;
    this.jobs.set(job.id, job);
    return job;
  }

  /** A queued job begins. */
  begin(id: JobId): void {
    this.#jobAt(id).status = "generating";
    this.#tellAll();
  }

  finish(id: JobId): void {
    this.#jobAt(id).finish();
    this.#tellAll();
  }

  loseFiles(id: JobId): void {
    for (const file of this.#jobAt(id).files) file.state = "lost";
  }

  #jobAt(id: JobId): FakeJob {
    const job = this.jobs.get(id);
    if (!job) throw new Error(`no job ${id}`);
    return job;
  }

  #tellAll(): void {
    for (const tell of this.#watchers) tell();
  }
}

/** A test may also replace a method of one gateway. */
export class FakeGateway implements Gateway {
  kopecks = NO_KOPECKS;
  readonly #accepted = new Map<string, Accepted>();
  readonly #lostRefunds = new Map<string, Kopecks>();

  constructor(
    private readonly service: FakeService,
    private readonly userId: number,
  ) {}

  /** Adds a job of this user that was not submitted here. */
  addJob(facts: Partial<FakeJobFacts> = {}): FakeJob {
    return this.service.addJob({ ...facts, userId: this.userId });
  }

  async balance(): Promise<Balance> {
    this.service.throwFault("balance");
    return { currency: "RUB", amount: rublesOf(this.kopecks) };
  }

  /** Bound, because tests wrap it. */
  models = async (): Promise<readonly Model[]> => {
    this.service.throwFault("models");
    return catalogue.models;
  };

  async submit(request: GenerationRequest, terms: OrderTerms): Promise<Accepted> {
    this.service.submissions.push({ request, terms });
    this.service.throwFault("submit");
    const accepted = this.#accepted.get(terms.id) ?? (await this.#accept(request, terms));
    this.#accepted.set(terms.id, accepted);
    return accepted;
  }

  /** Charges in the commit that writes the order, where it is of this process. */
  async #accept(request: GenerationRequest, terms: OrderTerms): Promise<Accepted> {
    const { writeOrderIn } = terms;
    if (!writeOrderIn) return this.#charge(request, terms);
    const { database } = this.service.options;
    if (!database) throw new Error("no database for the orders of this process");
    const before = this.kopecks;
    let jobIds: readonly JobId[] = [];
    try {
      return await database.write("job:accept", (tx) => {
        const accepted = this.#charge(request, terms);
        jobIds = accepted.job_ids;
        writeOrderIn(tx, jobIds);
        return accepted;
      });
    } catch (error) {
      this.kopecks = before;
      for (const id of jobIds) this.service.jobs.delete(id);
      throw error;
    }
  }

  async job(id: JobId): Promise<GatewayJob> {
    return this.#find(id).view();
  }

  async results({ job_id }: Job): Promise<readonly ResultFile[]> {
    const files = this.#find(job_id).files.filter(({ state }) => state !== "removed");
    return files.map((file) => ({ ...file.facts, open: async () => this.#open(file) }));
  }

  async refundLost(orderId: string, jobIds: readonly JobId[]): Promise<Kopecks> {
    this.service.lostRefunds.push({ orderId, jobIds });
    if (!this.service.options.refundsLostFiles) return NO_KOPECKS;
    const earlier = this.#lostRefunds.get(orderId);
    if (earlier !== undefined) return earlier;
    const lost = jobIds
      .flatMap((id) => this.service.jobs.get(id) ?? [])
      .filter((job) => job.userId === this.userId && job.orderId === orderId && job.status === "done");
    for (const file of lost.flatMap(({ files }) => files)) file.state = "removed";
    const refund = sumOf(lost.map(({ kopecks }) => kopecks));
    this.kopecks = asKopecks(this.kopecks + refund);
    if (refund > 0) this.#lostRefunds.set(orderId, refund);
    return refund;
  }

  async publishReference(stream: Readable): Promise<string> {
    this.service.throwFault("publishReference");
    const content = await buffer(stream);
    const link = `${LINK_ROOT}reference-${this.service.published.size + 1}`;
    this.service.published.set(link, content.toString());
    return link;
  }

  #charge(body: GenerationRequest, { id, quotedKopecks }: OrderTerms): Accepted {
    const isOwnLink = (url: string) => url.startsWith(LINK_ROOT);
    const { request, entry, count, unitKopecks, totalKopecks } = readRequest(body, catalogue, isOwnLink);
    if (totalKopecks !== quotedKopecks) throw new PriceChanged(totalKopecks);
    const price = { cost_rub: rublesOf(totalKopecks) };
    if (this.kopecks < totalKopecks)
      throw new ContractError("insufficient_funds", { balance: rublesOf(this.kopecks), ...price });
    this.kopecks = leftOf(this.kopecks, totalKopecks);
    const {
      type,
      model_key: model,
      model: { title },
    } = entry;
    const facts = { type, userId: this.userId, orderId: id, kopecks: unitKopecks, model, title, request };
    const jobIds = Array.from({ length: count }, () => this.service.addJob(facts).id);
    const [job_id = 0] = jobIds;
    const unit = type === "image" && { unit_cost_rub: rublesOf(unitKopecks) };
    return { job_id, job_ids: jobIds, status: "queued", ...price, ...unit };
  }

  #find(id: JobId): FakeJob {
    const job = this.service.jobs.get(id);
    if (job?.userId !== this.userId) throw new ContractError("job_not_found");
    return job;
  }

  #open(file: FakeFile): OpenedFile {
    if (file.fault) throw file.fault;
    if (file.state !== "kept") throw new ContractError("job_not_found");
    this.service.openFiles += 1;
    this.service.opened += 1;
    const stream = Readable.from(file.chunks()).on("close", () => {
      this.service.openFiles -= 1;
    });
    const { kind: _kind, index: _index, title: _title, ...facts } = { ...file.facts, ...file.openedFacts };
    return { ...facts, stream };
  }
}
