import type { Json } from "../../catalogue/json.js";
import type { Mapping } from "../../catalogue/mapping.js";
import { operationOf } from "../../catalogue/operation.js";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import type { UpstreamAdapter, UpstreamCall } from "../../providers/adapter.js";
import type { GeneratedFile } from "../../workers/worker-pool.js";
import { answerOf, recordedAnswer } from "./recorded-answer.js";
import { type RecordedStep, type Recording, recordingSchema } from "./recording.js";
import { replay } from "./replay.js";
import type { Scrubber } from "./scrub.js";
import type { ReadAnswer } from "./watch-adapter.js";

export interface Made {
  adapter: UpstreamAdapter;
  mapping: Mapping;
  facts: Pick<Recording, "live" | "recorded_at" | "attempt" | "seed" | "tracks">;
  request: Recording["request"];
  reads: readonly ReadAnswer[];
  files: readonly GeneratedFile[];
}

/** Thrown for a recording that would not tell what happened, or would tell a secret. */
export class UnrecordableError extends Error {
  override readonly name = "UnrecordableError";
}

/**
 * Makes what the tests replay: the scrubbed answers, with the calls that lead to them and what the adapter reads in
 * them.
 * @throws UnrecordableError
 */
export function makeRecording(
  { adapter, mapping, facts, request, reads, files }: Made,
  scrubber: Scrubber,
): Recording {
  const cleanRequest = recordingSchema.shape.request.parse(scrubber.json(request as Json));
  const told = reads.filter(({ outcome }, index) => !isRepeated(outcome, reads[index - 1]?.outcome));
  const answers = told.map(({ answer }) => recordedAnswer(answer, scrubber));
  const steps = stepsOf(adapter, mapping, { ...facts, request: cleanRequest }, answers.map(answerOf)).map(
    ({ call, outcome }, index): RecordedStep => {
      const answer = answers[index];
      if (!answer || outcome.kind !== told[index]?.outcome.kind)
        throw new UnrecordableError("without its secrets an answer is read as something else");
      return { call, answer, outcome: JSON.parse(JSON.stringify(outcome)) as Json };
    },
  );
  const recording = recordingSchema.parse({
    format: 1,
    provider: adapter.name,
    model_key: cleanRequest.model_key,
    endpoint: mapping.endpoint,
    ...facts,
    request: cleanRequest,
    steps,
    ...(files.length > 0 && { files: files.map(factsOf) }),
  });
  if (scrubber.isLeaking(JSON.stringify(recording)))
    throw new UnrecordableError("a secret would stand in the recording");
  return recording;
}

/** Recognises repeated answers: a task that waits is polled again and again. */
function isRepeated(outcome: ReadAnswer["outcome"], before: ReadAnswer["outcome"] | undefined): boolean {
  return outcome.kind === "pending" && JSON.stringify(outcome) === JSON.stringify(before);
}

/** Computes the calls and outcomes of these answers, by the mappings and the adapter of today. */
export function stepsOf(
  adapter: UpstreamAdapter,
  mapping: Mapping,
  { request, attempt, seed, tracks }: Pick<Recording, "request" | "attempt" | "seed" | "tracks">,
  answers: readonly HttpAnswer[],
) {
  const context = { seed, tracks, callbackUrl: attempt.callbackUrl };
  const operation = operationOf(mapping, request as Parameters<typeof operationOf>[1], context);
  if ("refusedField" in operation)
    throw new UnrecordableError(`the mapping no longer takes ${operation.refusedField}`);
  return replay(adapter, operation, attempt, answers).map(({ call, outcome }) => ({
    call: shownCall(call),
    outcome,
  }));
}

function shownCall({ method, url, headers, json, form }: UpstreamCall): RecordedStep["call"] {
  return {
    method,
    url,
    ...(headers && { headers: { ...headers } }),
    ...(json !== undefined && { json }),
    ...(form && { form: form.map(({ name }) => name) }),
  };
}

function factsOf({ mime, width, height, durationSec, original }: GeneratedFile): Json {
  return {
    mime: original?.mime ?? mime,
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(durationSec !== undefined && { duration_sec: durationSec }),
  };
}
