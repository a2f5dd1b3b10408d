import type { StoreChange } from '../../core/state/rows.ts';
import type { Side } from '../../core/contact/side.ts';
import type { GroupRecord } from '../../core/contact/record.ts';
import {
  InvalidError,
  isFault,
  isUnreadable,
  NameTakenError,
  NotFoundError,
  RedirectedError,
  type RemoteError,
  StaleError,
} from '../../providers/errors.ts';
import type { Session } from '../session.ts';

// All writes of groups use these.

/** Whether a failure concerns this group alone. After a fault of the side, the write may have been applied. */
const isRefusal = (error: unknown): error is RemoteError => {
  const kinds = [InvalidError, NameTakenError, NotFoundError, RedirectedError, StaleError];
  return kinds.some((kind) => error instanceof kind) || isFault(error) || isUnreadable(error);
};

/** The result of a group write, or its refusal. */
export type Answer<T> = { readonly value: T } | { readonly refusal: RemoteError };

/** Runs one group write. A refusal is returned, so that the run continues (R15). */
export const attempt = async <T>({ signal, stop }: Session, write: () => Promise<T>): Promise<Answer<T>> => {
  signal.throwIfAborted();
  stop?.throwIfAborted();
  try {
    return { value: await write() };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { refusal: error };
  }
};

export const reportRefused = ({ emit }: Session, side: Side, name: string, { message }: RemoteError): void =>
  emit({ kind: 'group', side, action: 'refused', name, reason: message });

export const groupHalf = (group: GroupRecord) => ({ id: group.id, name: group.name });

export const storeRows = (session: Session, changes: readonly StoreChange[]): Promise<void> =>
  session.writer.apply({}, (set) => set.add(...changes));
