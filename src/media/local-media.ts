import { join } from "node:path";
import type { FailPoint } from "../platform/fail-point.js";
import type { Ids } from "../platform/ids.js";
import type { MediaDisk } from "./disk.js";
import { FileBlobStore } from "./file-blob-store.js";
import { WorkDirectories } from "./work-directories.js";

export interface LocalMediaOptions {
  disk: MediaDisk;
  directory: string;
  ids: Ids;
  failPoint: FailPoint;
}

export interface LocalMedia {
  disk: MediaDisk;
  blobs: FileBlobStore;
  workDirectories: WorkDirectories;
}

export function openLocalMedia({ disk, directory, ids, failPoint }: LocalMediaOptions): LocalMedia {
  const temporary = join(directory, "tmp");
  return {
    disk,
    blobs: new FileBlobStore({ disk, directory, draftDirectory: temporary, ids, failPoint }),
    workDirectories: new WorkDirectories({ disk, directory: temporary, ids }),
  };
}
