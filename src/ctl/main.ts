import { openDatabase } from "../app.js";
import { readConfig } from "../config.js";
import { run } from "./run.js";

// A reader that has seen enough (`| head`) is no failure; any other fault is told like one, in a line.
process.stdout.on("error", (error) => {
  if ("code" in error && error.code === "EPIPE") return;
  process.stderr.write(`ctl: the answer cannot be written (${error.message})\n`);
  process.exit(1);
});

process.exitCode = await run({
  args: process.argv.slice(2),
  settings: () => {
    const { config } = readConfig(process.env);
    return { catalogueFile: config.catalogueFile, openDatabase: () => openDatabase(config, "tool") };
  },
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
