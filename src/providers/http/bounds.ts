import { z } from "zod";

const ID_LENGTH_MAX = 2048;

/** Id of a task at its service: it goes into rows, addresses and the log. */
export const taskIdField = z.string().min(1).max(ID_LENGTH_MAX);
export const urlField = z.url().max(ID_LENGTH_MAX);
