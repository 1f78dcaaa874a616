import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { eventually } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { ALERTS_FILE, dashboardQueries } from "../support/monitoring-files.js";
import { newFolder } from "../support/new-folder.js";
import { startUpstreamService } from "../support/upstream-service.js";

const TOKEN = "the-token-of-the-scraper";
const SCRAPE_CONFIG = "docs/prometheus/prometheus.yml";

interface Ended {
  code: number | string;
  output: string;
}

/** Runs `promtool` of Debian's package `prometheus`. */
function promtool(args: readonly string[], input = ""): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile("promtool", args, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
    child.stdin?.end(input);
  });
}

/** Debian's Prometheus with the repository's own configuration, but for the address and the token's place. */
async function startPrometheus(target: string) {
  const directory = newFolder();
  const token = join(directory, "token");
  writeFileSync(token, TOKEN);
  copyFileSync(ALERTS_FILE, join(directory, "alerts.yml"));
  const config = readFileSync(SCRAPE_CONFIG, "utf8")
    .replace("atelier:8080", new URL(target).host)
    .replace("/run/secrets/metrics_token", token)
    .replaceAll("30s", "1s");
  writeFileSync(join(directory, "prometheus.yml"), config);
  const port = await freePort();
  const child = spawn(
    "prometheus",
    [
      `--config.file=${directory}/prometheus.yml`,
      `--storage.tsdb.path=${directory}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: "ignore" },
  );
  onTestFinished(async () => {
    const ended = once(child, "exit");
    if (child.exitCode === null && child.kill("SIGTERM")) await ended;
  });
  const ask = async <T>(path: string, schema: z.ZodType<T>): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    return schema.parse(await response.json());
  };
  const answer = z.object({
    status: z.string(),
    data: z.object({
      result: z.array(
        z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) }),
      ),
    }),
  });
  const rules = z.object({
    data: z.object({
      groups: z.array(
        z.object({ rules: z.array(z.object({ name: z.string(), health: z.string(), state: z.string() })) }),
      ),
    }),
  });
  return {
    config: join(directory, "prometheus.yml"),
    query: async (expr: string) => (await ask(`query?query=${encodeURIComponent(expr)}`, answer)).data.result,
    rules: async () => (await ask("rules", rules)).data.groups.flatMap((group) => group.rules),
  };
}

test("a real Prometheus scrapes the service, evaluates each alert, and answers each panel", async () => {
  const backups = newFolder();
  const service = await startUpstreamService("fal,kie,polza,local", {
    METRICS_TOKEN: TOKEN,
    BACKUP_DIR: backups,
  });
  const prometheus = await startPrometheus(service.url);
  expect(await promtool(["check", "config", prometheus.config])).toMatchObject({ code: 0 });
  expect(await promtool(["check", "rules", ALERTS_FILE])).toMatchObject({ code: 0 });
  await service.make({ type: "image", model_key: "nano-banana-2", prompt: "a red fox" });
  const metrics = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const { output } = await promtool(["check", "metrics"], await metrics.text());
  // Those of Node.js have their names from the library.
  const found = output.split("\n").filter((line) => line !== "" && !line.startsWith("nodejs_active_"));
  expect(found).toEqual([]);
  const valueAt = async (expr: string) => Number((await prometheus.query(expr).catch(() => []))[0]?.value[1]);
  await eventually("a scrape", async () => (await valueAt('up{job="atelier"}')) === 1, 30_000);
  const income = "sum(atelier_income_rubles_total)";
  await eventually("the order among the metrics", async () => (await valueAt(income)) > 0, 90_000);
  await eventually(
    "each alert evaluated",
    async () => {
      const rules = await prometheus.rules();
      return rules.length > 10 && rules.every(({ health }) => health === "ok");
    },
    30_000,
  );
  for (const { title, expr } of dashboardQueries())
    expect([title, await prometheus.query(expr)]).toEqual([title, expect.any(Array)]);
  const balances = await prometheus.query("atelier_provider_balance");
  expect(balances.map(({ metric }) => metric.provider).sort()).toEqual(["fal", "kie", "polza"]);
  const firing = (await prometheus.rules()).filter(({ state }) => state === "firing");
  expect(firing).toEqual([]);
});

test("the alert about attempts that nobody can settle ends a day after the last one", async () => {
  const alertname = "AtelierAttemptsAmbiguous";
  const summary = "1 tasks may run at kie without anybody knowing: ctl attempt list --state ambiguous.";
  const exp_labels = { severity: "warn", provider: "kie", state: "ambiguous" };
  const told = [{ exp_labels, exp_annotations: { summary } }];
  const series = `atelier_attempts{provider="kie",state="ambiguous"}`;
  const file = join(newFolder(), "rules.json");
  const rules = {
    rule_files: [join(process.cwd(), ALERTS_FILE)],
    evaluation_interval: "5m",
    tests: [
      {
        interval: "5m",
        input_series: [{ series, values: "0x12 1x800" }],
        alert_rule_test: [
          { eval_time: "6h", alertname, exp_alerts: told },
          { eval_time: "30h", alertname, exp_alerts: [] },
        ],
      },
    ],
  };
  writeFileSync(file, JSON.stringify(rules));
  expect(await promtool(["test", "rules", file])).toMatchObject({ code: 0 });
});
