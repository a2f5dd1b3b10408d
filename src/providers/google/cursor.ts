import { z } from 'zod';

/** What the next incremental pull starts from. */
export type GoogleCursor = {
  readonly syncToken: string;
  /** Names the query: a token serves only the query that it came from. */
  readonly templateHash: string;
  /** When the full listing began that the token's life counts from, epoch milliseconds. */
  readonly fullAtMs: number;
};

/** Where a full listing that was cut off goes on. */
export type GoogleResume = {
  readonly pageToken: string;
  readonly templateHash: string;
  readonly fullAtMs: number;
  /** How many pages were read before. */
  readonly pages: number;
};

const cursorSchema = z.object({ syncToken: z.string().min(1), templateHash: z.string(), fullAtMs: z.number() });
const resumeSchema = z.object({
  pageToken: z.string().min(1),
  templateHash: z.string(),
  fullAtMs: z.number(),
  pages: z.int().nonnegative().default(0),
});

const parseWith = <Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | null => {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
};

/** The cursor in the text, or null where the text is not one. */
export const parseCursor = (text: string): GoogleCursor | null => parseWith(cursorSchema, text);

/** The resume point in the text, or null where the text is not one. */
export const parseResume = (text: string): GoogleResume | null => parseWith(resumeSchema, text);
