import { isAbsolute, relative } from "node:path";
import type { MediaStore, StoredFile } from "../../media/media-store.js";
import type { GeneratedFile } from "../../ports/provider.js";

export interface KeptFile extends StoredFile, Omit<GeneratedFile, "path" | "original"> {
  original?: StoredFile & { mime: string };
}

/** Moves the files of a task and their originals from its `directory` into the store: all of them or none. */
export async function keepFiles(
  store: MediaStore,
  directory: string,
  files: readonly GeneratedFile[],
): Promise<KeptFile[]> {
  if (files.length === 0) throw new Error("the provider made no file");
  const stored: StoredFile[] = [];
  const add = async ({ path, mime }: Pick<GeneratedFile, "path" | "mime">) => {
    requireInside(directory, path);
    const file = await store.add(path, mime);
    stored.push(file);
    return file;
  };
  try {
    const kept: KeptFile[] = [];
    for (const { path, original, ...facts } of files) {
      const file = await add({ path, mime: facts.mime });
      const own = original && { ...(await add(original)), mime: original.mime };
      kept.push({ ...facts, ...file, ...(own && { original: own }) });
    }
    return kept;
  } catch (error) {
    for (const { name } of stored) await store.remove(name).catch(() => {});
    throw error;
  }
}

export function namesOf(files: readonly KeptFile[]): Pick<StoredFile, "name">[] {
  return files.flatMap((file) => (file.original ? [file, file.original] : [file]));
}

function requireInside(directory: string, path: string): void {
  const inside = relative(directory, path);
  if (inside === "" || inside.startsWith("..") || isAbsolute(inside))
    throw new Error("the provider made a file outside its directory");
}
