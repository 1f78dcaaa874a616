export const SERVICE_NAMES = ["fal", "kie", "polza", "openai", "replicate", "comfyui", "ace_step"] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];

export function isServiceName(value: unknown): value is ServiceName {
  return (SERVICE_NAMES as readonly unknown[]).includes(value);
}
