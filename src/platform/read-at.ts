/** Reads bytes of a file from an offset; fewer at its end. */
export type ReadAt = (offset: number, length: number) => Promise<Buffer>;
