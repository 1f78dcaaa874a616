import { backupTo } from "../app.js";
import { resumeUpstream } from "../build-service.js";
import { readConfig } from "../config.js";
import { isDataDirLocked } from "../database/service-lock.js";
import { systemClock } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import { openDatabase, restoreBackup } from "../restore-data.js";
import { runCommand } from "./run.js";

// A new database or backup is private to its owner.
process.umask(0o077);

// A closed pipe (`| head`) is no failure; any other fault is reported in one line.
process.stdout.on("error", (error) => {
  if ("code" in error && error.code === "EPIPE") return;
  process.stderr.write(`ctl: the answer cannot be written (${error.message})\n`);
  process.exit(1);
});

/** Reports that the outcome of the command is unknown, and ends. */
function endUnknown(error: unknown): never {
  const told = `it is not known whether the change was written (${reasonOf(error)}): check it before you repeat it`;
  const isJson = process.argv.includes("--json");
  process.stderr.write(isJson ? `${JSON.stringify({ error: told })}\n` : `ctl: ${told}\n`);
  process.exit(1);
}

/** Reads where ComfyUI runs, also where PROVIDERS does not list it yet. */
function comfyuiPlace() {
  const { config, secrets } = readConfig({ ...process.env, CORE: "embedded", PROVIDERS: "comfyui" });
  const root = new URL(config.upstreams.comfyui?.apiRoot ?? "");
  return { root, proxy: { httpsProxy: secrets.httpsProxy, noProxy: config.noProxy } };
}

// Timers do not keep a process alive, and a command may wait for the service.
const alive = setInterval(() => {}, 60_000);
process.exitCode = await runCommand({
  args: process.argv.slice(2),
  settings: () => {
    const { config } = readConfig(process.env);
    const { catalogueFile, offersFile, providers, moderationFiles, adminIds } = config;
    return {
      sale: { catalogueFile, offersFile, providers },
      moderationFiles,
      upstreams: Object.keys(config.upstreams),
      adminIds,
      isCoreElsewhere: config.core === "api",
      comfyui: comfyuiPlace,
      openDatabase: () => openDatabase(config, "tool", { onUnknownOutcome: endUnknown }),
      resumeUpstream: (database, name) =>
        resumeUpstream(
          { database, clock: systemClock, isRunning: () => isDataDirLocked(config.dataDir) },
          name,
        ),
      backupTo: (folder) => backupTo(folder, config),
      restore: (folder, mayReplace) => restoreBackup({ folder, dataDir: config.dataDir, mayReplace }),
    };
  },
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
clearInterval(alive);
