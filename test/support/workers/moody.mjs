import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A renderer for tests: does what the prompt says instead of drawing. */
process.on("disconnect", () => process.exit());
process.on("message", ({ request, directory }) => {
  const done = (title) =>
    process.send({ kind: "done", files: [{ path: "none", mime: "image/webp", title }] });
  const killMyself = () => process.kill(process.pid, "SIGKILL");
  switch (request.prompt) {
    case "killed":
      return killMyself();
    case "killed once": {
      const mark = join(directory, "killed");
      if (existsSync(mark)) return done(String(process.pid));
      writeFileSync(mark, "");
      return killMyself();
    }
    case "hang":
      for (;;);
    case "hog": {
      const kept = [];
      const grow = () => {
        kept.push(Buffer.alloc(16 * 1024 * 1024, 1));
        setImmediate(grow);
      };
      return grow();
    }
    case "crash":
      process.stderr.write("a crash for the test\n", () => process.exit(3));
      return;
    case "throw":
      return process.send({ kind: "failed", failure: "provider", message: "ENOENT: /a/path/of/the/program" });
    case "nonsense":
      return process.send({ kind: "nonsense" });
    case "environment":
      return done(JSON.stringify(process.env));
    default:
      return done(String(process.pid));
  }
});
