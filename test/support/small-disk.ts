import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Makes a folder a file system of so many megabytes, mounted by root until the test ends. By default a new one. */
export function smallDisk(megabytes: number, folder = mkdtempSync(join(tmpdir(), "atelier-small-"))): string {
  execFileSync("/bin/mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "atelier-small", folder]);
  onTestFinished(() => void execFileSync("/bin/umount", ["--lazy", folder]));
  return folder;
}
