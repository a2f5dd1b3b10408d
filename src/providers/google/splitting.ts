import { InvalidError, isCredentialError, NotFoundError, RemoteError, StaleError } from '../errors.ts';
import type { WriteResult } from '../remote.ts';

/** The two halves of a list of two items or more. */
export const halves = <Item>(items: readonly Item[]): readonly [readonly Item[], readonly Item[]] => {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
};

/** Faults of an item: in a batch, which Google refuses as a whole, one item's fault is everyone's. */
const isItemFault = (error: RemoteError): boolean =>
  error instanceof InvalidError || error instanceof StaleError || error instanceof NotFoundError;

/**
 * Sends a batch and gives every item its result. A batch that was refused for the fault of some item is sent in halves
 * until the culprits stand alone; any other failure is the result of each item in it. Throws errors of the credential,
 * and whatever is no RemoteError (an abort).
 */
export const sendSplitting = async <Item extends { readonly key: string }, Value>(
  items: readonly Item[],
  send: (items: readonly Item[]) => Promise<readonly WriteResult<Value>[]>,
): Promise<readonly WriteResult<Value>[]> => {
  if (items.length === 0) return [];
  try {
    return await send(items);
  } catch (error) {
    if (!(error instanceof RemoteError) || isCredentialError(error)) throw error;
    if (items.length === 1 || !isItemFault(error)) return items.map(({ key }) => ({ key, ok: false, error }));
    const [first, second] = halves(items);
    return [...(await sendSplitting(first, send)), ...(await sendSplitting(second, send))];
  }
};
