/** A file part of a multipart body. */
export interface Upload {
  bytes: Buffer;
  fileName: string;
  mimeType: string;
}
