import { z } from "zod";

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

export const json: z.ZodType<Json> = z.json();
