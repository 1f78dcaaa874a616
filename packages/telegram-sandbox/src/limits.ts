const MEGABYTE = 1024 * 1024;

/** What a server takes and gives, in bytes. */
export interface Limits {
  /** A whole request, with the boundaries and headers of multipart: a file must be smaller. */
  requestBytesMax: number;
  downloadBytesMax: number;
}

export const CLOUD_LIMITS: Limits = { requestBytesMax: 50 * MEGABYTE, downloadBytesMax: 20 * MEGABYTE };
/** Limits of a server that runs with `--local`. */
export const LOCAL_LIMITS: Limits = {
  requestBytesMax: 2000 * MEGABYTE,
  downloadBytesMax: Number.POSITIVE_INFINITY,
};
