import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { loadCatalogue } from "../../../src/catalogue/catalogue.js";
import type { GenerationRequest } from "../../../src/contract/request.js";
import { Database } from "../../../src/database/database.js";
import { readRequest } from "../../../src/jobs/read-request.js";
import { systemClock } from "../../../src/platform/clock.js";
import { noFailPoint } from "../../../src/platform/fail-point.js";
import { systemIds } from "../../../src/platform/ids.js";
import { NoticeQueue } from "../../../src/ports/operator-notices.js";
import type { UpstreamAdapter } from "../../../src/providers/adapter.js";
import { costOf } from "../../../src/providers/attempt-store.js";
import { HttpProvider } from "../../../src/providers/http-provider.js";
import { KeptAnswers, ReferenceSpool } from "../../../src/providers/reference-spool.js";
import { openServiceIo } from "../../../src/providers/service-io.js";
import { withTables } from "../../support/empty-database.js";
import { inspector } from "../../support/inspector.js";
import { recordingLogger } from "../../support/log.js";
import { soldAs } from "../../support/sold.js";

const catalogue = loadCatalogue("data/catalogue.json");
const clock = systemClock;
const ids = systemIds;

/** A service as the program runs it, with the mappings of the catalogue, at an address of this machine. */
export async function openProvider(adapter: UpstreamAdapter, root: URL) {
  const directory = mkdtempSync(join(tmpdir(), "atelier-service-"));
  const database = Database.open({ file: withTables(join(directory, "a.db")), role: "service" });
  const io = openServiceIo({ adapter, key: "secret", root, inspector, clock, ids });
  const provider = new HttpProvider({
    adapter,
    key: "secret",
    root,
    settings: { concurrency: 10 },
    references: io.references,
    outputs: io.outputs,
    database,
    spool: new ReferenceSpool(join(directory, "references.spool")),
    notices: new NoticeQueue(),
    answers: new KeptAnswers(join(directory, "answers")),
    clock,
    ids,
    failPoint: noFailPoint,
    logger: recordingLogger("debug").logger,
  });
  await provider.start({
    mayHandOver: () => true,
    mayBeSent: () => true,
    keepLate: async () => undefined,
    roomAgain: () => {},
  });
  onTestFinished(async () => {
    await provider.close();
    await io.close();
    await database.close();
  });
  return {
    provider,
    attempt(jobId = 1) {
      const { latest } = provider.service.store.historyOf(jobId);
      return latest && { ...latest, cost: costOf(latest) };
    },
    /** Runs a job with the body of a POST to our own API. @param references paths of its pictures */
    async make(body: object, references: readonly string[] = [], jobId = 1) {
      const { request }: { request: GenerationRequest } = readRequest(body, catalogue);
      const folder = mkdtempSync(join(directory, "job-"));
      const entry = catalogue.entries.find(({ model_key }) => model_key === request.model_key);
      const operation = soldAs(entry?.mappings[adapter.name] ?? [], request);
      const task = {
        jobId,
        accountId: 1,
        request,
        operation,
        model: "",
        seed: 7,
        tracks: 1,
        references,
        directory: folder,
      };
      const outcome = await provider.run(task, new AbortController().signal);
      if (outcome.kind === "made") await database.write("test", (tx) => outcome.onKept?.(tx));
      return outcome;
    },
  };
}
