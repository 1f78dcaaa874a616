import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Operation, operationOf, withLinks } from "../../catalogue/operation.js";
import type { GenerationRequest } from "../../contract/request.js";
import { HOUR_MS } from "../../platform/units.js";
import type { UpstreamCall, UpstreamReference } from "../../providers/adapter.js";
import { warningsOf } from "../../providers/outcomes.js";
import { serviceAddress } from "../../providers/service-calls.js";
import { openServiceIo, type ServiceIo, type ServiceIoOptions } from "../../providers/service-io.js";
import { judgeAnswer, judgeFailure, type SubmitJudgement } from "../../providers/submitter.js";
import type { CheapRequest } from "./cheapest.js";
import { costFindings } from "./compare-cost.js";
import { fileFindings } from "./compare-files.js";
import { type End, submitEnd, taskEnd } from "./end.js";
import { differs } from "./finding.js";
import { followTask } from "./follow-task.js";
import { Progress } from "./progress.js";
import { samplePictures } from "./sample-pictures.js";
import { createScrubber } from "./scrub.js";
import { takeFiles } from "./take-files.js";
import { watchAdapter } from "./watch-adapter.js";

export interface CheckOptions extends Omit<ServiceIoOptions, "link"> {
  cheap: CheapRequest;
  tracks: number;
  say: (line: string) => void;
  /** Ends the waiting; the task goes on at the service. */
  signal: AbortSignal;
}

export interface Checked extends End, Pick<Progress, "reads" | "findings"> {
  /** The request as it was sent, with its links. */
  request: GenerationRequest;
  attempt: { id: string; callbackUrl: string };
  seed: number;
  /** Milliseconds since the epoch at which the POST began. */
  submittedAt: number;
  reference?: UpstreamReference;
}

/** Milliseconds for which links to pictures live. These are read within the task's first minutes. */
const LINK_LIFE_MS = HOUR_MS;

/** Sends one request as the service would, and reports every answer that is not as expected. */
export async function checkUpstream(options: CheckOptions): Promise<Checked> {
  const directory = await mkdtemp(join(tmpdir(), "upstream-check-"));
  const service = openServiceIo({ ...options, link: undefined });
  try {
    return await run(options, service, directory);
  } finally {
    await service.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function run(options: CheckOptions, service: ServiceIo, directory: string): Promise<Checked> {
  const { adapter: plain, ids, clock, say, cheap, tracks, signal, root } = options;
  const progress = new Progress(plain.name, say);
  const adapter = watchAdapter(plain, (read) => progress.read(read));
  const attempt = { id: ids.request(), callbackUrl: `https://atelier.invalid/hooks/${plain.name}` };
  const seed = ids.seed();
  const request = await withPictures(options, service, directory);
  const operation = operationOf(cheap.mapping, request, { seed, tracks, callbackUrl: attempt.callbackUrl });
  if ("refusedField" in operation) throw new Error(`the mapping takes no ${operation.refusedField}`);

  const call = adapter.submit(operation, { id: attempt.id });
  say(`→ ${call.method} ${serviceAddress(call.url, { ...plain, root }) ?? call.url}`);
  say(shownBody(call));
  signal.throwIfAborted();
  const submittedAt = clock.now();
  const judgement = await service.calls.submit(call).then(
    (answer) => judgeAnswer(adapter, answer, operation, clock.now()),
    (error: unknown) => judgeFailure(error),
  );
  const end = await follow({ ...options, adapter }, service, { judgement, operation, progress, directory });
  if (end.files.length > 0) progress.find(fileFindings(end.files, request, operation, tracks));
  const { reads, findings } = progress;
  return { request, attempt, seed, submittedAt, reads, findings, ...end };
}

/** Shows the body without the pictures in it. */
function shownBody({ json, form }: UpstreamCall): string {
  const shown = json === undefined ? null : createScrubber([]).json(json);
  return JSON.stringify(form ? form.map(({ name }) => name) : shown, null, 2);
}

/** Replaces links by those to pictures, which the service is given first. */
async function withPictures(
  { cheap, signal }: CheckOptions,
  { references }: ServiceIo,
  directory: string,
): Promise<GenerationRequest> {
  const paths = await Promise.all(
    samplePictures(cheap.request).map(async (bytes, index) => {
      const path = join(directory, `reference-${index}`);
      await writeFile(path, bytes);
      return path;
    }),
  );
  if (paths.length === 0) return cheap.request;
  return withLinks(cheap.request, await references.publish(paths, LINK_LIFE_MS, signal));
}

interface Submitted {
  judgement: SubmitJudgement;
  operation: Operation;
  progress: Progress;
  directory: string;
}

async function follow(
  { adapter, clock, say, signal }: CheckOptions,
  { calls, outputs }: ServiceIo,
  { judgement, operation, progress, directory }: Submitted,
): Promise<End & Pick<Checked, "reference">> {
  const { poll } = operation;
  const take = ({ document, cost }: Extract<SubmitJudgement, { kind: "ready" }>) => {
    progress.find(costFindings(cost, operation.cost));
    return takeFiles({ outputs, directory, say, signal }, operation, document);
  };
  if (judgement.kind === "ready") return take(judgement);
  if (judgement.kind !== "accepted") return submitEnd(judgement);
  const { reference } = judgement;
  say(`  accepted as ${JSON.stringify(reference)}`);
  const warnings = warningsOf(judgement);
  if (warnings !== undefined) progress.find([differs(`accepted with a warning: ${warnings}`)]);
  const onGlitch = (detail: string) => progress.find([differs(`a look told nothing: ${detail}`)]);
  const end = await followTask({ adapter, calls, clock, poll, onGlitch, signal }, reference);
  return { reference, ...(end.kind === "ready" ? await take(end) : taskEnd(end, poll)) };
}
