import { ageMs } from "../platform/clock.js";
import { SECOND_MS } from "../platform/units.js";
import type { Metric } from "../ports/service.js";
import type { BackupStatus } from "./backups.js";

/** Shows how old the newest backup is, and how the last ones went. */
export function backupMetrics(status: BackupStatus, now: number): Metric[] {
  const { lastMadeAt, isFailing, made, failed, bytes, durationMs } = status;
  return [
    {
      name: "atelier_backup_age_seconds",
      help: "Age of the newest whole backup; absent while there is none.",
      kind: "gauge",
      samples: lastMadeAt === undefined ? [] : [{ value: ageMs(lastMadeAt, now) / SECOND_MS }],
    },
    {
      name: "atelier_backup_failing",
      help: "1 after a backup failed, until one is made.",
      kind: "gauge",
      samples: [{ value: isFailing ? 1 : 0 }],
    },
    {
      name: "atelier_backups_total",
      help: "Backups that were made and that failed, since the process began.",
      kind: "counter",
      samples: [
        { labels: { outcome: "made" }, value: made },
        { labels: { outcome: "failed" }, value: failed },
      ],
    },
    {
      name: "atelier_backup_bytes",
      help: "Size of the last backup that this process made.",
      kind: "gauge",
      samples: [{ value: bytes }],
    },
    {
      name: "atelier_backup_duration_seconds",
      help: "How long the last backup of this process took.",
      kind: "gauge",
      samples: [{ value: durationMs / SECOND_MS }],
    },
  ];
}
