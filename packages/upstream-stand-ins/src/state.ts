import { randomBytes } from "node:crypto";
import { CallLog } from "./call-log.js";
import type { Clock } from "./clock.js";
import { type FaultName, FaultOrders } from "./faults.js";
import { FileMaker } from "./files.js";
import { type AccountState, Journal, type JournalLine, type Upload } from "./journal.js";
import type { LedgerEntry } from "./ledger.js";
import type { ServiceName } from "./service-name.js";
import { phaseOf, type Task } from "./task.js";
import { ServiceTime, type Timing } from "./time.js";

export interface SubmitLimit {
  count: number;
  perMs: number;
}

export interface StateOptions {
  clock: Clock;
  timing: Timing;
  directory?: string | undefined;
  /** Keys that the services take; without one, any key of the right form. */
  keys: Readonly<Partial<Record<ServiceName, string>>>;
  submitLimits: Readonly<Partial<Record<ServiceName, SubmitLimit>>>;
  /** Makes results; by default each is drawn from its task. */
  files?: Pick<FileMaker, "make"> | undefined;
}

/** Keeps what all stand-ins of a process have drawn: it depends on the task alone. */
const FILES = new FileMaker();

/** Everything that the services know. */
export class UpstreamState {
  readonly tasks = new Map<string, Task>();
  /** Tasks by the file that they made. */
  readonly fileOwners = new Map<string, Task>();
  readonly uploads = new Map<string, Upload>();
  readonly ledger: LedgerEntry[] = [];
  readonly breaches: string[] = [];
  readonly faults = new FaultOrders();
  readonly files: Pick<FileMaker, "make">;
  readonly calls = new CallLog();
  readonly time: ServiceTime;
  readonly #accounts = new Map<ServiceName, AccountState>();
  readonly #down = new Set<ServiceName>();
  readonly #downListeners = new Set<(service: ServiceName) => void>();
  readonly #journal: Journal;

  constructor(readonly options: StateOptions) {
    this.files = options.files ?? FILES;
    this.#journal = new Journal(options.directory);
    let skippedMs = 0;
    for (const line of this.#journal.read()) skippedMs = this.#restore(line) ?? skippedMs;
    this.time = new ServiceTime(options.clock, skippedMs, (ms) =>
      this.#journal.write({ kind: "skip", skippedMs: ms }),
    );
  }

  /** Takes a task and its money, before anybody is told. */
  accept(task: Task, entry: LedgerEntry): void {
    this.#add(task);
    this.#journal.write({ kind: "task", task });
    this.ledger.push(entry);
    this.#journal.write({ kind: "ledger", entry });
    this.calls.changed();
  }

  /** Keeps what was changed in a task. */
  keep(task: Task): void {
    this.#journal.write({ kind: "task", task });
  }

  breach(breach: string): void {
    this.breaches.push(breach);
    this.#journal.write({ kind: "breach", breach });
  }

  addUpload(upload: Upload): void {
    this.uploads.set(upload.id, upload);
    this.#journal.write({ kind: "upload", upload });
  }

  uploadNamed(service: ServiceName, fileName: string): Upload | undefined {
    return [...this.uploads.values()].find((one) => one.service === service && one.fileName === fileName);
  }

  account(service: ServiceName): AccountState {
    return this.#accounts.get(service) ?? "good";
  }

  setAccount(service: ServiceName, state: AccountState): void {
    this.#accounts.set(service, state);
    this.#journal.write({ kind: "account", service, state });
  }

  /** True while the service takes no connection. */
  isDown(service: ServiceName): boolean {
    return this.#down.has(service);
  }

  setDown(service: ServiceName, isDown: boolean): void {
    if (isDown) this.#down.add(service);
    else this.#down.delete(service);
    for (const listener of this.#downListeners) listener(service);
  }

  /** @param listener called when a service goes down or comes back */
  onDown(listener: (service: ServiceName) => void): void {
    this.#downListeners.add(listener);
  }

  /** One of a task's own faults, which counts as struck. */
  strike(task: Task, fault: FaultName): boolean {
    const left = task.faults[fault] ?? 0;
    if (left <= 0) return false;
    task.faults[fault] = left - 1;
    this.keep(task);
    return true;
  }

  /** True while the service takes another task of this account. */
  hasRoom(service: ServiceName): boolean {
    const limit = this.options.submitLimits[service];
    if (!limit) return true;
    const since = this.time.now() - limit.perMs;
    let accepted = 0;
    for (let index = this.ledger.length - 1; index >= 0; index--) {
      const entry = this.ledger[index];
      if (!entry || entry.at <= since) break;
      if (entry.service === service) accepted += 1;
    }
    return accepted < limit.count;
  }

  /** The service loses what it kept in memory. */
  forgetTasks(service: ServiceName): void {
    for (const task of this.tasks.values()) {
      if (task.service !== service) continue;
      task.isForgotten = true;
      this.keep(task);
    }
  }

  /** Resolves when a task has ended or was cancelled. */
  async ended(task: Task): Promise<void> {
    for (let left = this.#leftMs(task); left > 0; left = this.#leftMs(task)) await this.#pause(left);
  }

  newId(): string {
    return randomBytes(16).toString("hex");
  }

  #leftMs(task: Task): number {
    const now = this.time.now();
    const phase = phaseOf(task, now);
    if (phase.kind === "ended" || phase.kind === "cancelled") return 0;
    return task.acceptedAt + task.queueMs + task.runMs - now;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        cancel();
        stop();
        resolve();
      };
      const cancel = this.options.clock.after(ms, finish);
      const stop = this.calls.onChange(finish);
    });
  }

  #add(task: Task): void {
    this.tasks.set(task.id, task);
    for (const { id } of task.files) this.fileOwners.set(id, task);
  }

  #restore(line: JournalLine): number | undefined {
    if (line.kind === "task") this.#add(line.task);
    else if (line.kind === "ledger") this.ledger.push(line.entry);
    else if (line.kind === "breach") this.breaches.push(line.breach);
    else if (line.kind === "upload") this.uploads.set(line.upload.id, line.upload);
    else if (line.kind === "account") this.#accounts.set(line.service, line.state);
    else return line.skippedMs;
    return undefined;
  }
}
