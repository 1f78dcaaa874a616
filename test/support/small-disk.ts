import { execFileSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { newFolder } from "./new-folder.js";

/** Makes a folder a file system of so many megabytes, mounted by root until the test ends. By default a new one. */
export function smallDisk(megabytes: number, folder = newFolder()): string {
  execFileSync("/bin/mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "atelier-small", folder]);
  onTestFinished(() => void execFileSync("/bin/umount", ["--lazy", folder]));
  return folder;
}
