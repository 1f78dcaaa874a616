import { openDatabase } from "../app.js";
import { readConfig } from "../config.js";
import { run } from "./run.js";

process.exitCode = await run({
  args: process.argv.slice(2),
  settings: () => {
    const { config } = readConfig(process.env);
    return { catalogueFile: config.catalogueFile, openDatabase: () => openDatabase(config, "tool") };
  },
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
