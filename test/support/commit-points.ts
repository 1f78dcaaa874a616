const BEFORE = "commit:before:";

/** Tells whether a fail point stands before the commit of the write `label`, which other writes may share. */
export function isBeforeCommit(point: string, label: string): boolean {
  return point.startsWith(BEFORE) && point.slice(BEFORE.length).split("+").includes(label);
}
