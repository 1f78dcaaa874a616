import { z } from "zod";

const ID_LENGTH_MAX = 2048;

/** The id of a task at its service: it goes into rows, addresses and the log. */
export const taskIdField = z.string().min(1).max(ID_LENGTH_MAX);
/** An address that a service gives. */
export const urlField = z.url().max(ID_LENGTH_MAX);
