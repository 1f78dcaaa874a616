import type { GenerationType } from "../contract/model.js";

/** A model of the catalogue as an admin sees it. */
export interface SwitchedModel {
  key: string;
  type: GenerationType;
  title: string;
  /** True where an admin took it out of what is sold. */
  isOff: boolean;
  /** What people read under its title. */
  note: string | null;
}

/** What is absent stays as it is, so that two admins do not undo each other's changes. */
export interface ModelChange {
  key: string;
  isOff?: boolean;
  note?: string | null;
  actor: string;
}

/** Takes models out of what is sold, and adds notes to them, without a restart and over restarts. */
export interface ModelSwitches {
  /** Lists the models that the catalogue sells, in its order. */
  list(): SwitchedModel[];
  /** Resolves to false when nothing changed. Orders that were accepted before are made. */
  change(change: ModelChange): Promise<boolean>;
}
