/** Maps in order, with at most `limit` calls at once. A failure starts no further calls, and is thrown at the end. */
export async function mapAtOnce<T, R>(
  limit: number,
  items: readonly T[],
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const mapped: R[] = [];
  const rest = items.entries();
  let failure: { error: unknown } | undefined;
  const work = async () => {
    for (const [index, item] of rest) {
      try {
        mapped[index] = await map(item);
      } catch (error) {
        failure ??= { error };
      }
      if (failure) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  if (failure) throw failure.error;
  return mapped;
}
