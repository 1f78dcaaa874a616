import type { Command } from "commander";
import type { UpstreamRecord } from "../core/core.js";
import { CommandError } from "./command-error.js";
import type { Context } from "./context.js";
import { table } from "./text.js";

export function upstreamCommands(program: Command, context: Context): void {
  const upstream = program.command("upstream").description("the services that make files");

  upstream
    .command("list")
    .description("every service of PROVIDERS")
    .action(async () => {
      const found = await context.withUpstreams((admin) => admin.upstreams(context.upstreams));
      const shown = found.map(upstreamJson);
      const rows = shown.map((one) => [one.provider, one.state, one.in_flight, one.paused_reason]);
      context.answer({ json: shown, text: table(["provider", "state", "in flight", "paused for"], rows) });
    });

  upstream
    .command("resume <NAME>")
    .description("try a service now that takes no tasks, such as once its account is in order")
    .action(async (name: string) => {
      const isUp = await context.withUpstreams((admin) => {
        if (!context.upstreams.includes(name)) throw new CommandError(unknown(name, context.upstreams));
        return admin.resume(name);
      });
      if (!isUp) throw new CommandError(unconfirmed(name));
      context.answer({ json: { provider: name, state: "up" }, text: `${name} takes jobs again` });
    });
}

function upstreamJson({ name, inFlight, state }: UpstreamRecord) {
  return {
    provider: name,
    state: state?.state ?? "up",
    in_flight: inFlight,
    paused_reason: state?.reason ?? null,
  };
}

function unconfirmed(name: string): string {
  return `the running service has not confirmed it yet: it tries ${name} once it reads the request; see "ctl upstream list"`;
}

function unknown(name: string, known: readonly string[]): string {
  const names = known.length > 0 ? known.join(", ") : "none";
  return `${JSON.stringify(name)} is no service of PROVIDERS (${names})`;
}
