import { z } from "zod";
import { recordAct } from "../accounts/audit-log.js";
import type { GenerationType, Model } from "../contract/model.js";
import type { Ground } from "../database/ground.js";
import { JsonColumn } from "../database/json-column.js";
import { table } from "../database/table.js";
import type { Integer } from "../platform/integer.js";
import { Catalogue, type CatalogueEntry } from "./catalogue.js";

type ModelNote = NonNullable<Model["note"]>;

/** A model of the catalogue as an admin sees it. */
export interface SwitchedModel {
  key: string;
  type: GenerationType;
  title: string;
  /** True where an admin took it out of what is sold. */
  isOff: boolean;
  /** What people read under its title, by their language. */
  note: ModelNote | null;
}

/** What is absent stays as it is, so that two admins do not undo each other's changes. */
interface ModelChange {
  key: string;
  isOff?: boolean;
  /** Null removes all notes; one of a language leaves those of others. */
  note?: ModelNote | null;
  actor: string;
}

/** What an admin changed of a model; no row where nothing is. */
interface ModelOverrideTable {
  model_key: string;
  is_off: 0 | 1;
  /** JSON of `ModelNote`. */
  note: string | null;
  changed_at: Integer;
}

declare module "../database/prepared.js" {
  interface Schema {
    model_override: ModelOverrideTable;
  }
}

const overrides = table("model_override");

export const OVERRIDE_NOTE = new JsonColumn<ModelNote>(
  "model_override",
  "note",
  z.record(z.string(), z.string()),
);

function noteOf(row: ModelOverrideTable | undefined): ModelNote | null {
  return row === undefined || row.note === null ? null : OVERRIDE_NOTE.read(row.note);
}

/** Writes a note as an act is written: by language, in the order of their codes. */
function noteForAct(note: ModelNote | null): string | null {
  if (note === null) return null;
  const words = Object.keys(note)
    .sort()
    .map((code) => `${code}: ${note[code]}`);
  return words.join("; ");
}

/** Applies what admins changed on top of a catalogue. */
export class ModelOverrides {
  #known: ReadonlyMap<string, ModelOverrideTable> | undefined;
  readonly #listeners: (() => void)[] = [];

  /** @param catalogue returns what is sold without overrides */
  constructor(
    private readonly ground: Ground,
    private readonly catalogue: () => Catalogue,
  ) {}

  get #rows(): ReadonlyMap<string, ModelOverrideTable> {
    this.#known ??= new Map(overrides.all(this.ground.database, {}).map((row) => [row.model_key, row]));
    return this.#known;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  applyTo(catalogue: Catalogue): Catalogue {
    if (this.#rows.size === 0) return catalogue;
    return new Catalogue(
      catalogue.entries.map((entry) => this.#applyToEntry(entry)),
      catalogue,
    );
  }

  /** Lists the models that the catalogue sells, in its order. */
  list(): SwitchedModel[] {
    const sold = this.catalogue().entries.filter(({ status }) => status === "active");
    return sold.map(({ model_key: key, type, title }) => {
      const row = this.#rows.get(key);
      return { key, type, title, isOff: row?.is_off === 1, note: noteOf(row) };
    });
  }

  /** Resolves to false when nothing changed. Orders that were accepted before are made. */
  async change({ key, actor, ...change }: ModelChange): Promise<boolean> {
    const { database, clock, logger } = this.ground;
    const isChanged = await database.write("model:override", (tx) => {
      const row = overrides.get(tx, { model_key: key });
      const known = noteOf(row);
      const note = change.note ? { ...known, ...change.note } : change.note === null ? null : known;
      const before = { off: row?.is_off === 1, note: noteForAct(known) };
      const after = { off: change.isOff ?? before.off, note: noteForAct(note) };
      if (before.off === after.off && before.note === after.note) return false;
      const at = clock.now();
      const json = note && JSON.stringify(note);
      const is_off = after.off ? 1 : 0;
      overrides.save(tx, ["model_key"], { model_key: key, is_off, note: json, changed_at: at });
      recordAct(tx, { actor, act: "model", accountId: null, subject: `model:${key}`, before, after, at });
      return true;
    });
    if (!isChanged) return false;
    this.#known = undefined;
    for (const listener of this.#listeners) listener();
    logger.info({ model: key, ...change, actor }, "model changed by an admin");
    return true;
  }

  #applyToEntry(entry: CatalogueEntry): CatalogueEntry {
    const row = this.#rows.get(entry.model_key);
    if (!row) return entry;
    if (row.is_off === 1) return { ...entry, status: "disabled" };
    const note = noteOf(row);
    return note === null ? entry : { ...entry, model: { ...entry.model, note } };
  }
}
