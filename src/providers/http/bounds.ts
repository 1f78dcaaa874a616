import { z } from "zod";

const ID_LENGTH_MAX = 2048;

/** Id of a task at its service: it goes into rows, addresses and the log. */
export const taskIdField = z.string().min(1).max(ID_LENGTH_MAX);
export const urlField = z.url().max(ID_LENGTH_MAX);

/** Reads a list without the elements that cannot be read: one of them hides no other. */
export function listOf<T>(element: z.ZodType<T>): z.ZodType<T[]> {
  return z.array(z.unknown()).transform((given) =>
    given.flatMap((one) => {
      const read = element.safeParse(one);
      return read.success ? [read.data] : [];
    }),
  );
}
