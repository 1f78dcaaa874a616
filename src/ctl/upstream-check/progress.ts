import { answerFindings } from "./compare-answer.js";
import type { Finding } from "./finding.js";
import type { ReadAnswer } from "./watch-adapter.js";

/** Matches headers in which a service counts, where no adapter reads them. */
const COST_HEADER = /billable|cost|credits|units/;

/** Prints what was read and found as it comes. */
export class Progress {
  readonly reads: ReadAnswer[] = [];
  readonly findings: Finding[] = [];
  readonly #service: string;
  readonly #say: (line: string) => void;
  #shown = "";

  constructor(service: string, say: (line: string) => void) {
    this.#service = service;
    this.#say = say;
  }

  read(read: ReadAnswer): void {
    this.reads.push(read);
    const line = `← ${read.answer.status}: ${told(read.outcome)}`;
    // Polls of a waiting task repeat themselves.
    if (line !== this.#shown) this.#say(line);
    this.#shown = line;
    for (const [name, value] of read.answer.headers)
      if (COST_HEADER.test(name)) this.#say(`  ${name}: ${value}`);
    this.find(answerFindings(this.#service, read));
  }

  /** Adds findings. Each is told once. */
  find(findings: readonly Finding[]): void {
    for (const finding of findings) {
      if (this.findings.some(({ text }) => text === finding.text)) continue;
      this.findings.push(finding);
      this.#say(`  ${finding.matters ? "DIFFERS" : "note"}: ${finding.text}`);
    }
  }
}

function told(outcome: ReadAnswer["outcome"]): string {
  if (outcome.kind !== "pending") return outcome.kind;
  const { phase, queuePosition } = outcome;
  return queuePosition === undefined ? phase : `${phase}, at ${queuePosition}`;
}
