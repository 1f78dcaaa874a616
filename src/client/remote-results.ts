import { ContractError, Unavailable } from "../contract/errors.js";
import type { Job } from "../contract/job.js";
import type { GenerationType } from "../contract/model.js";
import { fileNameOf } from "../media/open-media.js";
import { mapAtOnce } from "../platform/at-once.js";
import { BoundedMap } from "../platform/bounded-map.js";
import type { Clock } from "../platform/clock.js";
import type { OutgoingAgent } from "../platform/outgoing-agent.js";
import type { ResultFile } from "../ports/gateway.js";
import { type Download, openDownload } from "./download.js";
import { type ExpectedFile, type FileFacts, readFileFacts } from "./file-facts.js";
import { DownloadError, type DownloadOptions } from "./file-request.js";
import type { JobKey } from "./job-key.js";

/** Larger files are not taken; Telegram's own limit is far below. */
const BYTES_MAX = 2 * 1024 ** 3;
/** A link is valid for an hour; this one was just given. */
const FRESH_MS = 30_000;
const REMEMBERED = 5000;
/** Heads of one job that are read at once. */
const HEADS_AT_ONCE = 4;
/** A service whose links expire early gives a valid one within a few seconds. */
const EXPIRED_MAX = 5;

const USUAL_MIME: Readonly<Record<GenerationType, string>> = {
  image: "image/webp",
  video: "video/mp4",
  music: "audio/mpeg",
};
const MEDIA_KIND: Readonly<Record<GenerationType, string>> = {
  image: "image/",
  video: "video/",
  music: "audio/",
};

/** Begins a download. */
type NewLink = () => () => Promise<string | null>;

/** One file of a job, and where its link stands in a job that was read. */
interface RemoteFile extends ExpectedFile, Pick<ResultFile, "kind" | "index" | "durationSec" | "title"> {
  linkIn(job: Job): string | null;
}

export interface RemoteResultsOptions {
  agent: OutgoingAgent;
  clock: Clock;
  /** Only where the service itself is called by http. */
  isHttpAllowed: boolean;
  signal: AbortSignal;
}

/** Files of finished jobs, streamed from the links that the service gives. */
export class RemoteResults {
  readonly #options: RemoteResultsOptions;
  /** Facts read from a file's head, by job and file. */
  readonly #facts = new BoundedMap<string, FileFacts>(REMEMBERED);

  constructor(options: RemoteResultsOptions) {
    this.#options = options;
  }

  /**
   * Files that still exist. Reads the head of each result once.
   * @param read reads the job anew
   * @throws Unavailable
   */
  async of(job: Job, read: () => Promise<Job>, key: JobKey): Promise<readonly ResultFile[]> {
    if (job.status !== "done") return [];
    const at = this.#options.clock.monotonic();
    const linked = filesOf(job).filter((file) => file.linkIn(job) !== null);
    const readOnce = shared(read);
    const found = await mapAtOnce(HEADS_AT_ONCE, linked, async (file) => {
      const link = this.#linkOf(file, { job, at }, readOnce);
      const facts = await this.#factsOf(key, file, link);
      return facts && this.#resultFile(job, file, facts, link);
    });
    return found.filter((file) => file !== undefined);
  }

  /** For one download: the link that was just given, then one of a new GET for each further request. */
  #linkOf(file: RemoteFile, given: { job: Job; at: number }, read: () => Promise<Job>): NewLink {
    return () => {
      const isFresh = this.#options.clock.monotonic() - given.at < FRESH_MS;
      let first = isFresh ? file.linkIn(given.job) : null;
      return async () => {
        const link = first ?? file.linkIn(await read());
        first = null;
        return link;
      };
    };
  }

  #resultFile(job: Job, file: RemoteFile, facts: FileFacts, link: NewLink): ResultFile {
    const { kind, index, durationSec, title } = file;
    const name = {
      job_id: job.job_id,
      role: kind,
      position: index,
      mime: facts.mime,
      title: title ?? null,
    };
    return {
      ...facts,
      kind,
      index,
      fileName: fileNameOf(name),
      ...(durationSec !== undefined && { durationSec }),
      ...(title !== undefined && { title }),
      open: async () => (await this.#open(link)).stream,
    };
  }

  /** Undefined when the file no longer exists. A cover is read only by those who use it. */
  async #factsOf(key: JobKey, file: RemoteFile, link: NewLink): Promise<FileFacts | undefined> {
    if (file.kind === "cover") return { mime: file.mime };
    const name = `${key}:${file.index}`;
    const known = this.#facts.get(name);
    if (known) return known;
    try {
      const facts = await readFileFacts(await this.#open(link), file, this.#downloadOf(link));
      this.#facts.set(name, facts);
      return facts;
    } catch (error) {
      if (error instanceof ContractError) return undefined;
      throw error;
    }
  }

  #downloadOf(link: NewLink): DownloadOptions {
    return { ...this.#options, freshLink: link(), bytesMax: BYTES_MAX, expiredMax: EXPIRED_MAX };
  }

  async #open(link: NewLink): Promise<Download> {
    try {
      return await openDownload(this.#downloadOf(link));
    } catch (error) {
      if (!(error instanceof DownloadError)) throw error;
      if (error.fault === "unreachable") throw new Unavailable("unreachable", { cause: error });
      throw new ContractError("job_not_found");
    }
  }
}

/** Calls that come while the answer to an earlier one is awaited share it. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

function filesOf(job: Job): RemoteFile[] {
  const { result, type } = job;
  const tracks = result?.tracks ?? [];
  if (tracks.length === 0) {
    const mime = result?.mime ?? USUAL_MIME[type];
    const linkIn = (seen: Job) => seen.result?.url ?? null;
    return [{ kind: "result", index: 0, mime, media: MEDIA_KIND[type], linkIn }];
  }
  return tracks.flatMap(({ mime, title, duration }, index): RemoteFile[] => {
    const shared = { index, ...(title !== "" && { title }) };
    const linkIn = (seen: Job) => seen.result?.tracks?.[index]?.url ?? null;
    const coverIn = (seen: Job) => seen.result?.tracks?.[index]?.image_url ?? null;
    const timed = duration === null ? {} : { durationSec: duration };
    return [
      { ...shared, ...timed, kind: "result", mime, media: MEDIA_KIND.music, linkIn },
      { ...shared, kind: "cover", mime: "image/jpeg", media: MEDIA_KIND.image, linkIn: coverIn },
    ];
  });
}
