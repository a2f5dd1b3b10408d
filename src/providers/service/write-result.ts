import { isCredentialError, RemoteError } from '../errors.ts';
import type { WriteResult } from '../remote.ts';

/**
 * Answers for one item of a write: its value, or its error. An error of the credential, and everything that is no
 * RemoteError (the abort of a signal), is thrown: it concerns more than the item.
 */
export const settle = async <Value>(key: string, operation: () => Promise<Value>): Promise<WriteResult<Value>> => {
  try {
    return { key, ok: true, value: await operation() };
  } catch (error) {
    if (!(error instanceof RemoteError) || isCredentialError(error)) throw error;
    return { key, ok: false, error };
  }
};
