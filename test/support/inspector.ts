import { OutputError } from "../../src/providers/file-inspector.js";
import { type FileTask, prepareFile } from "../../src/workers/prepare-file.js";

/** The child process's work, done here: test/providers/http/outputs/file-inspector.test.ts has the process. */
export const inspector = {
  prepare: (task: FileTask) =>
    prepareFile(task).catch((cause: unknown) => Promise.reject(new OutputError("not_media", { cause }))),
};
