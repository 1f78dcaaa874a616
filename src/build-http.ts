import { deliveriesMetric } from "./bot/orders/store/deliveries-metric.js";
import { uncertainOrdersMetric } from "./bot/orders/store/uncertain-metric.js";
import type { OwnBackups } from "./build-backups.js";
import type { Config, Secrets } from "./config.js";
import type { Database } from "./database/database.js";
import { probeWrite } from "./database/write-probe.js";
import { diskMetrics } from "./http/disk-metrics.js";
import { createHttpServer } from "./http/server.js";
import type { Clock } from "./platform/clock.js";
import type { Ids } from "./platform/ids.js";
import type { Logger } from "./platform/logger.js";
import type { Collector, Service } from "./ports/service.js";

interface HttpParts {
  config: Config;
  secrets: Secrets;
  database: Database;
  service: Service;
  backups: OwnBackups;
  /** Read the metrics of parts beside the service. */
  collectors: readonly Collector[];
  isBotPolling: () => boolean;
  /** 0 takes a free port. */
  httpPort: number;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

/** Builds the HTTP server: routes and metrics of the service, and the checks of `/readyz`. */
export function buildHttp({
  config,
  secrets,
  database,
  service,
  backups,
  isBotPolling,
  ...parts
}: HttpParts) {
  const { routes, healthChecks, upstreams } = service;
  const { clock, logger } = parts;
  const collectors = [...service.collectors, ...parts.collectors];
  return createHttpServer({
    ...parts,
    httpHost: config.httpHost,
    isProxyTrusted: config.isProxyTrusted,
    connectionsMax: config.connectionsMax,
    routes,
    publicUrl: config.publicUrl,
    rateLimitPerMinute: config.rateLimitPerMinute,
    upstreams,
    warnings: () => backups.warnings(),
    metrics: {
      collectors: [
        ...collectors,
        uncertainOrdersMetric(database),
        deliveriesMetric(database, clock),
        diskMetrics(config.dataDir),
        ...backups.collectors,
      ],
      token: secrets.metricsToken,
    },
    healthChecks: [
      { name: "database", isGood: () => isDatabaseWritable(database, clock, logger) },
      ...healthChecks,
      ...(secrets.botToken === undefined ? [] : [{ name: "bot", isGood: async () => isBotPolling() }]),
    ],
  });
}

async function isDatabaseWritable(database: Database, clock: Clock, logger: Logger): Promise<boolean> {
  try {
    await probeWrite(database, clock);
    return true;
  } catch (error) {
    logger.error({ err: error }, "database not writable");
    return false;
  }
}
