import { z } from 'zod';
import { LinksAnswer, RemovedAnswer } from '../src/daemon/server/api.ts';

/** The JSON documents of the commands that deal with what a database keeps. */

const wholeNumber = z.int().min(0);
/** Links as `links list`, `links add` and `links set` print them, and the HTTP API answers with them. */
export const LinksDocument = LinksAnswer;

export const RemovedDocument = z.strictObject({ removed: RemovedAnswer.nullable() });

export const CopyDocument = z.strictObject({
  copy: z
    .strictObject({
      tables: z.array(
        z.strictObject({
          table: z.string().min(1),
          rows: wholeNumber,
          sha256: z.string().regex(/^[0-9a-f]{64}$/u),
        }),
      ),
    })
    .nullable(),
});
