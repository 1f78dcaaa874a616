import { type KeptState, writeKeptState } from "./kept-state.js";
import type { SandboxState } from "./state.js";

/**
 * Keeps a sandbox in a directory: everything that happens in one turn of the event loop is written at its end, before
 * the bot can have read the answer, so that a killed process loses nothing that it was told.
 */
export class Keeper {
  readonly #stopListening: readonly (() => void)[];
  #scheduled: NodeJS.Immediate | undefined;

  constructor(
    private readonly directory: string,
    private readonly state: SandboxState,
  ) {
    const changed = () => {
      this.#scheduled ??= setImmediate(() => this.#write());
    };
    const { world, updates, files } = state;
    this.#stopListening = [world.on(changed), updates.onChange(changed), files.onChange(changed)];
  }

  /** Writes what is new, and listens no more. */
  close(): void {
    for (const stop of this.#stopListening) stop();
    if (this.#scheduled) clearImmediate(this.#scheduled);
    this.#write();
  }

  #write(): void {
    this.#scheduled = undefined;
    writeKeptState(this.directory, snapshot(this.state));
  }
}

function snapshot({ token, world, updates, commands, files, sent, stars }: SandboxState): KeptState {
  const kept = { updates: updates.kept(), commands: commands.entries(), files: files.kept() };
  return { version: 1, token, ...world.kept(), ...kept, sent: sent.entries(), stars: stars.kept() };
}

/** Gives a new sandbox the state that was kept. */
export function restore({ world, updates, commands, files, stars }: SandboxState, kept: KeptState): void {
  world.restore(kept);
  updates.restore(kept.updates);
  commands.restore(kept.commands);
  files.restore(kept.files);
  if (kept.stars) stars.restore(kept.stars);
}
