import { once } from "node:events";
import { type ApiCaller, type JobsPlan, writeFinishedJobs } from "../finished-work.js";
import { type LoadResult, requestBytes, runLoad } from "../load/http-load.js";
import { peakMemoryMb } from "../process-cost.js";
import { isUp, type RunningProgram, startProgram, withDirectory } from "../program.js";
import type { Figure } from "../report.js";
import { scaled } from "../scale.js";
import { median } from "../statistics.js";

const ROUNDS = scaled(5, 1);
const CONNECTIONS = 50;
const WINDOW = { warmUpMs: scaled(1500, 200), windowMs: scaled(3000, 500) };

const FEW: JobsPlan = { accounts: CONNECTIONS, jobs: 1000 };
const MANY: JobsPlan = { accounts: scaled(10_000, 100), jobs: scaled(1_000_000, 2000) };

const BODY = JSON.stringify({
  type: "image",
  model_key: "nano-banana-2",
  prompt: "a lighthouse in a storm at dusk, waves against the rocks, oil on canvas",
  aspect_ratio: "16:9",
  resolution: "2K",
});

/** What is asked, and how much of the rate of the least that answers the same the service must reach. */
const QUESTIONS = {
  post: { name: "POST /generations", over: "the least that commits the same rows", goal: 0.7 },
  job: { name: "GET /generations/{id}", over: "bare node:http", goal: 0.4 },
  models: { name: "GET /models", over: "bare node:http", goal: 0.65 },
} as const;
type Question = keyof typeof QUESTIONS;
type Answers = Record<Question, LoadResult>;

const KEPT_GOAL = 0.85;

/** The HTTP API against a bare server, with few jobs in the database and with a million, in turns. */
export function measureApi(): Promise<Figure[]> {
  return withDirectory(async (many) => {
    const manyCallers = await writeFinishedJobs(many, MANY, CONNECTIONS);
    const few: Answers[] = [];
    const full: Answers[] = [];
    const least: Answers[] = [];
    const memoryMb: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const measured = await withDirectory(async (directory) =>
        measureService(directory, await writeFinishedJobs(directory, FEW, CONNECTIONS)),
      );
      few.push(measured.answers);
      least.push({ ...(await measureBare(measured.answers)), post: await measureLeastPost() });
      const filled = await measureService(many, manyCallers);
      full.push(filled.answers);
      memoryMb.push(measured.memoryMb, filled.memoryMb);
    }
    return report(least, few, full, Math.max(...memoryMb));
  });
}

async function measureService(
  dataDir: string,
  callers: readonly ApiCaller[],
): Promise<{ answers: Answers; memoryMb: number }> {
  const service = await startProgram("serviceWithStub", { dataDir });
  await isUp(service);
  const answers = {
    models: await load(service, callers, "models"),
    job: await load(service, callers, "job"),
    post: await load(service, callers, "post"),
  };
  const memoryMb = peakMemoryMb(service.pid);
  await service.stop();
  return { answers, memoryMb };
}

/** The bare server sends what the service has sent. */
async function measureBare(model: Answers): Promise<Pick<Answers, "models" | "job">> {
  const server = await startProgram("bareHttp", {});
  await once(server.child, "message");
  const callers = [{ key: "atl_bench", jobIds: [1] }];
  const ask = (question: Question) => {
    server.child.send(String(model[question].body));
    return load(server, callers, question);
  };
  const answers = { models: await ask("models"), job: await ask("job") };
  await server.stop();
  return answers;
}

/** POSTs to the least that writes the same rows, on a database like that of the service. */
function measureLeastPost(): Promise<LoadResult> {
  return withDirectory(async (directory) => {
    const callers = await writeFinishedJobs(directory, FEW, CONNECTIONS);
    const server = await startProgram("bareLedger", { dataDir: directory });
    await once(server.child, "message");
    const result = await load(server, callers, "post");
    await server.stop();
    return result;
  });
}

function load(
  server: RunningProgram,
  callers: readonly ApiCaller[],
  question: Question,
): Promise<LoadResult> {
  const requests = callers.map((caller) => requestsOf(caller, question));
  const turns = new Map<number, number>();
  const request = (connection: number): Buffer => {
    const own = requests[connection % requests.length] ?? [];
    const turn = turns.get(connection) ?? 0;
    turns.set(connection, turn + 1);
    return own[turn % own.length] ?? Buffer.alloc(0);
  };
  return runLoad({ port: server.port, connections: CONNECTIONS, request, ...WINDOW });
}

function requestsOf({ key, jobIds }: ApiCaller, question: Question): Buffer[] {
  if (question === "models") return [requestBytes("GET", "/v1/models", key)];
  if (question === "post") return [requestBytes("POST", "/v1/generations", key, BODY)];
  return jobIds.map((id) => requestBytes("GET", `/v1/generations/${id}`, key));
}

function report(least: Answers[], few: Answers[], full: Answers[], memoryMb: number): Figure[] {
  const figures: Figure[] = [];
  for (const question of Object.keys(QUESTIONS) as Question[]) {
    const { name, over, goal } = QUESTIONS[question];
    figures.push(
      atLeast(`${name}, service / ${over}`, ratio(few, least, question), goal),
      atLeast(`   the same with ${MANY.jobs} jobs / with few`, ratio(full, few, question), KEPT_GOAL),
      {
        what: `   a second: the least, service, service with ${MANY.jobs} jobs`,
        measured: [least, few, full].map((rounds) => rate(rounds, question)).join(", "),
      },
    );
  }
  const p99Ms = median(few.map(({ post }) => post.p99Ms));
  return [
    ...figures,
    {
      what: "POST /generations, p99",
      measured: `${p99Ms.toFixed(1)} ms`,
    },
    {
      what: "memory of the service under that load (peak)",
      measured: `${memoryMb.toFixed(0)} MB`,
    },
  ];
}

function atLeast(what: string, value: number, goal: number): Figure {
  return { what, measured: value.toFixed(2), goal: `≥ ${goal}`, isReached: value >= goal };
}

function ratio(over: readonly Answers[], under: readonly Answers[], question: Question): number {
  const rates = over.map(
    (round, index) =>
      round[question].answersASecond / (under[index]?.[question].answersASecond ?? Number.NaN),
  );
  return median(rates);
}

function rate(rounds: readonly Answers[], question: Question): string {
  return median(rounds.map((round) => round[question].answersASecond)).toFixed(0);
}
