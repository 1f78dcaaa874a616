import type { Readable } from "node:stream";
import type { ByteRange } from "./blob-store.js";
import type { FileFacts } from "./gateway.js";

export interface SignedFile {
  name: string;
  expires: string;
  serial: string;
  signature: string;
}

export interface OpenableFile extends FileFacts {
  size: number;
  title?: string;
  /** Opens a range, which must lie within the file. Read to the end or destroy. Undefined for a deleted file. */
  open(range?: ByteRange): Promise<Readable | undefined>;
}

export type SignedFileOutcome =
  | { outcome: "found"; file: OpenableFile }
  | { outcome: "expired" }
  | { outcome: "forged" }
  | { outcome: "gone" };

export interface SignedFiles {
  /** Finds the file of a signed link without opening it. */
  findSignedFile(file: SignedFile): Promise<SignedFileOutcome>;
}
