import { type MediaDisk, nodeMediaDisk } from "../../src/media/disk.js";

type Operation = "makeDirectory" | "write" | "sync" | "rename" | "open" | "remove" | "removeTree";

/** The real disk, until a test makes an operation of it fail. */
export interface FickleDisk extends MediaDisk {
  /** operation → the code of the error that it fails with */
  readonly broken: Map<Operation, string>;
  free: number;
}

/** An error as the operating system gives it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), { code });
}

export function createFickleDisk(): FickleDisk {
  const broken = new Map<Operation, string>();
  const guarded = <Args extends unknown[], R>(operation: Operation, act: (...args: Args) => Promise<R>) => {
    return async (...args: Args): Promise<R> => {
      const code = broken.get(operation);
      if (code !== undefined) throw systemError(code);
      return act(...args);
    };
  };
  const disk: FickleDisk = {
    ...nodeMediaDisk,
    broken,
    free: 2 ** 40,
    makeDirectory: guarded("makeDirectory", nodeMediaDisk.makeDirectory),
    write: guarded("write", nodeMediaDisk.write),
    sync: guarded("sync", nodeMediaDisk.sync),
    rename: guarded("rename", nodeMediaDisk.rename),
    open: guarded("open", nodeMediaDisk.open),
    remove: guarded("remove", nodeMediaDisk.remove),
    removeTree: guarded("removeTree", nodeMediaDisk.removeTree),
    freeBytes: async () => disk.free,
  };
  return disk;
}
