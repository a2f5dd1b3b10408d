import { isCredentialError } from './errors.ts';
import type { WriteResult } from './remote.ts';

/** Whether a write met a refused credential (R16): nothing more of its batch is sent. */
export const metRefusal = (results: readonly WriteResult<unknown>[]): boolean =>
  results.some((result) => !result.ok && isCredentialError(result.error));

/** The results of a batch. Where all that it met is a refused credential, nothing of it was written, and that is thrown. */
export const orRefusal = async <Value>(
  writes: Promise<readonly WriteResult<Value>[]>,
): Promise<readonly WriteResult<Value>[]> => {
  const results = await writes;
  const refusals = results.flatMap((result) => {
    return !result.ok && isCredentialError(result.error) && result.error.applied === 'no' ? [result.error] : [];
  });
  const [refusal] = refusals;
  if (refusal !== undefined && refusals.length === results.length) throw refusal;
  return results;
};
