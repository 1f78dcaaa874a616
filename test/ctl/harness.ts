import { join } from "node:path";
import { makeBackup } from "../../src/backup/make-backup.js";
import { resumeUpstream } from "../../src/build-service.js";
import type { Post } from "../../src/ctl/context.js";
import { runCommand } from "../../src/ctl/run.js";
import { Database } from "../../src/database/database.js";
import { isDataDirLocked } from "../../src/database/service-lock.js";
import { type Clock, systemClock } from "../../src/platform/clock.js";
import { restoreBackup } from "../../src/restore-data.js";
import { texts } from "../support/drafts.js";
import { withTables } from "../support/empty-database.js";
import { newFolder } from "../support/new-folder.js";

/** A data directory and the operator's command line on it. */
export function operator({
  isCoreElsewhere = false,
  isAccountShared = false,
  tills = ["stars"] as readonly string[],
  api = undefined as Post["api"],
  /** A data directory of others. */
  dataDir = undefined as string | undefined,
  upstreams = [] as readonly string[],
  adminIds = [] as readonly number[],
  catalogueFile = "data/catalogue.json",
  moderationFiles = [] as readonly string[],
  hasMedia = false,
  offersFile = undefined as string | undefined,
  providers = ["local"] as readonly string[],
  comfyuiRoot = "http://127.0.0.1:1",
  clock = systemClock as Clock,
} = {}) {
  const directory = dataDir ?? newFolder();
  const open = (role: "service" | "tool") =>
    Database.open({
      file: withTables(join(directory, "atelier.db")),
      role,
    });

  /** Runs a command; words are separated by spaces. */
  async function ctl(command: string) {
    const printed = { out: "", err: "" };
    const code = await runCommand({
      args: command.split(" ").filter(Boolean),
      settings: () => ({
        sale: { catalogueFile, offersFile, providers },
        moderationFiles,
        upstreams,
        adminIds,
        isCoreElsewhere,
        isAccountShared,
        tills,
        openPost: () => ({ texts, api, close: async () => {} }),
        comfyui: () => ({ root: new URL(comfyuiRoot), proxy: {} }),
        openDatabase: () => open("tool"),
        resumeUpstream: (database, name) =>
          resumeUpstream({ database, clock, isRunning: () => isDataDirLocked(directory) }, name),
        restore: (folder, mayReplace) => restoreBackup({ folder, dataDir: directory, mayReplace }),
        backupTo: (target) =>
          makeBackup({ dataDir: directory, target, hasMedia, program: "1.2.3", clock: systemClock }),
      }),
      out: (text) => {
        printed.out += text;
      },
      err: (text) => {
        printed.err += text;
      },
    });
    return { code, ...printed };
  }

  /** The value that a command prints with `--json`; fails when the command does. */
  async function json(command: string): Promise<unknown> {
    const { code, out, err } = await ctl(`${command} --json`);
    if (code !== 0 || err !== "") throw new Error(`ctl ${command}: ${err}`);
    return JSON.parse(out);
  }

  /** What a failing command says with `--json`. */
  async function failure(command: string): Promise<string> {
    const { code, out, err } = await ctl(`${command} --json`);
    if (code !== 1 || out !== "") throw new Error(`ctl ${command} did not fail: ${out}`);
    return (JSON.parse(err) as { error: string }).error;
  }

  return { directory, open, ctl, json, failure };
}
