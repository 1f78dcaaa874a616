import { ContractError, Unavailable } from "../contract/errors.js";
import type { Job } from "../contract/job.js";
import type { GenerationType } from "../contract/model.js";
import { fileNameOf } from "../media/open-media.js";
import type { Clock } from "../platform/clock.js";
import type { OutgoingAgent } from "../platform/outgoing-agent.js";
import type { OpenedFile, ResultFile } from "../ports/gateway.js";
import { type Download, openDownload } from "../transfer/download.js";
import { type ExpectedFile, withFileFacts } from "../transfer/file-facts.js";
import { DownloadError, type DownloadOptions } from "../transfer/file-request.js";

/** The most bytes of a file; Telegram's own limit is far below. */
const BYTES_MAX = 2 * 1024 ** 3;
/** Milliseconds for which a link counts as just given. It is valid for an hour. */
const FRESH_MS = 30_000;
/** The most expired links in a row. A service whose links expire early gives a valid one within a few seconds. */
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

type NewLink = () => () => Promise<string | null>;

/** One file of a job, and where its link stands in a job that was read. */
interface RemoteFile extends ExpectedFile, Pick<ResultFile, "kind" | "index" | "durationSec" | "title"> {
  linkIn(job: Job): string | null;
}

export interface RemoteResultsOptions {
  agent: OutgoingAgent;
  clock: Clock;
  /** True only where the service itself is called by http. */
  isHttpAllowed: boolean;
  signal: AbortSignal;
}

/** Lists files of finished jobs, and streams them from the links that the service gives. */
export class RemoteResults {
  readonly #options: RemoteResultsOptions;

  constructor(options: RemoteResultsOptions) {
    this.#options = options;
  }

  /** Lists files that have a link. `job` was just read; `read` reads it anew. No file is opened for its facts. */
  of(job: Job, read: () => Promise<Job>): readonly ResultFile[] {
    if (job.status !== "done") return [];
    const at = this.#options.clock.monotonic();
    const readOnce = shared(read);
    return filesOf(job)
      .filter((file) => file.linkIn(job) !== null)
      .map((file) => this.#resultFile(job, file, this.#linkOf(file, { job, at }, readOnce)));
  }

  /** Returns links for one download: the one that was just given, then one of a new GET for each further request. */
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

  #resultFile(job: Job, file: RemoteFile, link: NewLink): ResultFile {
    const { kind, index, mime, durationSec, title } = file;
    const nameOf = (type: string) =>
      fileNameOf({ job_id: job.job_id, role: kind, position: index, mime: type, title: title ?? null });
    return {
      kind,
      index,
      mime,
      fileName: nameOf(mime),
      ...(durationSec !== undefined && { durationSec }),
      ...(title !== undefined && { title }),
      open: async () => {
        const opened = await this.#open(file, link);
        return { ...opened, fileName: nameOf(opened.mime) };
      },
    };
  }

  /** Opens a file. Throws Unavailable, and ContractError `job_not_found`. */
  async #open(file: RemoteFile, link: NewLink): Promise<Omit<OpenedFile, "fileName">> {
    const download = await this.#download(link);
    return withFileFacts(download, file, this.#downloadOf(link));
  }

  #downloadOf(link: NewLink): DownloadOptions {
    return { ...this.#options, freshLink: link(), bytesMax: BYTES_MAX, expiredMax: EXPIRED_MAX };
  }

  async #download(link: NewLink): Promise<Download> {
    try {
      return await openDownload(this.#downloadOf(link));
    } catch (error) {
      if (!(error instanceof DownloadError)) throw error;
      if (error.fault === "unreachable") throw new Unavailable("unreachable", { cause: error });
      throw new ContractError("job_not_found");
    }
  }
}

/** Shares one answer among the calls that come while it is awaited. */
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
