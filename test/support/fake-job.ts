import type { JobId, JobResult, JobStatus } from "../../src/contract/job.js";
import type { GenerationType } from "../../src/contract/model.js";
import { type Kopecks, rublesOf } from "../../src/contract/price.js";
import type { FileFacts } from "../../src/media/media-store.js";
import type { GatewayJob, ResultFile } from "../../src/ports/gateway.js";

export const LINK_ROOT = "https://files.example/";

export interface FakeJobFacts {
  id: JobId;
  type: GenerationType;
  userId: number;
  orderId: string;
  kopecks: Kopecks;
  model: string | null;
  title: string;
  request: Readonly<Record<string, unknown>>;
  linkRoot: string;
}

export interface FakeFile {
  facts: Omit<ResultFile, "open">;
  /** What is known only when it is opened. */
  openedFacts?: Partial<FileFacts>;
  chunks(): Iterable<Buffer>;
  /** `lost`: deleted behind the service's back. `removed`: the service knows. */
  state: "kept" | "lost" | "removed";
  /** What opening it fails with. */
  fault?: Error | undefined;
}

/** A file of these facts. Its content is its name, unless a test gives another one. */
export function fakeFile(
  facts: Pick<ResultFile, "mime"> & Partial<FakeFile["facts"]>,
  chunks?: () => Iterable<Buffer>,
): FakeFile {
  const { kind = "result", index = 0 } = facts;
  const fileName = facts.fileName ?? `${kind}-${index}`;
  const content = Buffer.from(fileName);
  const all = { kind, index, fileName, size: content.length, ...facts };
  return { facts: all, chunks: chunks ?? (() => [content]), state: "kept" };
}

const TRACKS = 2;

function filesOf(type: GenerationType, title: string): FakeFile[] {
  const sides = { width: 64, height: 32 };
  if (type === "image") return [fakeFile({ mime: "image/webp", ...sides })];
  if (type === "video") return [fakeFile({ mime: "video/mp4", ...sides, durationSec: 5 })];
  return Array.from({ length: TRACKS }, (_, index) => [
    fakeFile({ mime: "audio/mpeg", index, durationSec: 20 + index, title }),
    fakeFile({ kind: "cover", mime: "image/jpeg", index }),
  ]).flat();
}

export class FakeJob {
  readonly id: JobId;
  readonly userId: number;
  readonly orderId: string;
  readonly kopecks: Kopecks;
  status: JobStatus = "queued";
  files: FakeFile[] = [];
  #end: Partial<GatewayJob> = {};
  #links = 0;

  constructor(private readonly facts: FakeJobFacts) {
    ({ id: this.id, userId: this.userId, orderId: this.orderId, kopecks: this.kopecks } = facts);
  }

  finish(files?: readonly FakeFile[]): void {
    this.status = "done";
    this.files = [...(files ?? filesOf(this.facts.type, this.facts.title))];
  }

  /** Its money is back. */
  fail(): void {
    this.status = "error";
    this.#end = { error: "The provider failed.", failure: "provider", refunded: true, refund: "made" };
  }

  view(): GatewayJob {
    const { type, model, title, request } = this.facts;
    const { aspect_ratio, duration_sec } = request;
    const shape = {
      aspect_ratio: typeof aspect_ratio === "string" ? aspect_ratio : null,
      duration_sec: typeof duration_sec === "number" ? duration_sec : null,
    };
    return {
      job_id: this.id,
      type,
      status: this.status,
      model,
      model_title: title,
      ...(type !== "music" && shape),
      cost_rub: rublesOf(this.kopecks),
      result: this.status === "done" ? this.#result() : null,
      error: null,
      created_at: new Date(0).toISOString(),
      ...this.#end,
    };
  }

  /** Links are new at each look. */
  #result(): JobResult {
    this.#links += 1;
    const linkTo = (file: FakeFile | undefined) =>
      file && file.state !== "removed"
        ? `${this.facts.linkRoot}${this.id}/${file.facts.fileName}?${this.#links}`
        : null;
    const results = this.files.filter(({ facts }) => facts.kind === "result");
    const [first] = results;
    const mime = first?.facts.mime ?? null;
    if (this.facts.type !== "music") return { url: linkTo(first), mime };
    const tracks = results.map((file, at) => ({
      index: at + 1,
      title: file.facts.title ?? this.facts.title,
      duration: file.facts.durationSec ?? null,
      url: linkTo(file),
      mime: file.facts.mime,
      image_url: linkTo(this.files.find(({ facts }) => facts.kind === "cover" && facts.index === at)),
    }));
    return { url: tracks[0]?.url ?? null, mime, tracks };
  }
}
