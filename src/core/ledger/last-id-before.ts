interface Rows {
  /** The greatest id; 0 where there is none. */
  lastId: number;
  /** Returns the row with the smallest id above `after`. */
  next(after: number): { id: number; created_at: number } | undefined;
}

/** Returns an id after which all rows are that were made from `since` on. Their ids ascend with the time. */
export function lastIdBefore(since: number, { lastId, next }: Rows): number {
  let [low, high] = [0, lastId];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = next(middle);
    if (row && row.created_at < since) low = row.id;
    else high = middle;
  }
  return low;
}
