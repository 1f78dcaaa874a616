import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.js";
import { isRunning } from "../support/processes.js";

const execute = promisify(execFile);

test.each(["throw new Error('broken')", "setTimeout(() => { throw new Error('broken') })"])(
  "a bench that breaks leaves neither a program nor a directory: %s",
  async (breaking) => {
    const module = JSON.stringify(new URL("../../build/test/bench/program.js", import.meta.url).href);
    const script = `
      import { once } from "node:events";
      const { startProgram, withDirectory } = await import(${module});
      await withDirectory(async (directory) => {
        const { child, pid } = await startProgram("bareHttp", {});
        await once(child, "message");
        process.stdout.write(JSON.stringify({ pid, directory }));
        ${breaking};
        await new Promise(() => {});
      });`;
    const ended = execute(process.execPath, ["--input-type=module", "-e", script]);
    const { code, stdout } = await ended.then(
      () => ({ code: 0, stdout: "" }),
      (error: { code: number; stdout: string }) => error,
    );
    expect(code).toBe(1);
    const { pid, directory } = JSON.parse(stdout) as { pid: number; directory: string };
    await eventually("the program has ended", () => !isRunning(pid));
    expect(existsSync(directory)).toBe(false);
  },
);
