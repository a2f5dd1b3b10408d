import type { FeedPage } from '../../../src/core/contact/requests.ts';
import type { Applied, RemoteError } from '../../../src/providers/errors.ts';
import {
  CursorExpiredError,
  InvalidError,
  LimitedError,
  RevokedError,
  StaleError,
  UnavailableError,
} from '../../../src/providers/errors.ts';
import type { WriteResult } from '../../../src/providers/remote.ts';

/** The faults of one call of a remote. */
export const FAULTS = [
  /** 429; not applied. */
  'limited',
  /** 5xx or a refused connection; not applied. */
  'unavailable',
  /** A reset before the write was applied; the caller does not know it. */
  'lost-before',
  /** The write was applied, but its answer was lost. */
  'lost-after',
  /** Half of a batch was applied, then the connection broke. */
  'lost-half',
  /** The first item is refused with a stale etag. */
  'stale',
  /** The first item is refused once. */
  'invalid',
  /** The feed's cursor is expired. */
  'expired',
  /** A full listing leaves one contact out. */
  'hole',
  /** The permission is revoked for a while. */
  'revoked',
  /** The process stalls for longer than its lease. */
  'stall',
] as const;

export type Fault = (typeof FAULTS)[number];

const optionsOf = (status: number | null, applied: Applied) => ({ status, route: 'memory', applied });

const unavailable = (applied: Applied): RemoteError => {
  return new UnavailableError('the remote did not answer', optionsOf(null, applied));
};

const limited = (): RemoteError => {
  return new LimitedError('too many requests', { ...optionsOf(429, 'no'), retryAfterMs: 1_000 });
};

const revoked = (): RemoteError => new RevokedError('the permission is gone', optionsOf(403, 'no'));

type Keyed = { readonly key: string };

const allFailed = <Value>(items: readonly Keyed[], error: RemoteError): WriteResult<Value>[] => {
  return items.map(({ key }) => ({ key, ok: false, error }));
};

/** Sends a batch of writes with a fault. Returns null where the fault does not apply to writes. */
export const faultyWrite = async <Item extends Keyed, Value>(
  fault: Fault,
  checksVersions: boolean,
  items: readonly Item[],
  send: (items: readonly Item[]) => Promise<readonly WriteResult<Value>[]>,
): Promise<readonly WriteResult<Value>[] | null> => {
  const firstFails = async (error: RemoteError) => {
    return [...allFailed<Value>(items.slice(0, 1), error), ...(await send(items.slice(1)))];
  };
  switch (fault) {
    case 'limited':
      return allFailed(items, limited());
    case 'unavailable':
      return allFailed(items, unavailable('no'));
    case 'lost-before':
      return allFailed(items, unavailable('unknown'));
    case 'lost-after':
      await send(items);
      return allFailed(items, unavailable('unknown'));
    case 'lost-half':
      await send(items.slice(0, Math.ceil(items.length / 2)));
      return allFailed(items, unavailable('unknown'));
    case 'stale':
      if (!checksVersions) return null;
      return firstFails(new StaleError('the etag is not the last one', optionsOf(400, 'no')));
    case 'invalid':
      return firstFails(new InvalidError('the remote does not like it', optionsOf(400, 'no')));
    case 'revoked':
      throw revoked();
    case 'expired':
    case 'hole':
    case 'stall':
      return null;
  }
};

/** Sends one group write with a fault. Group writes throw. */
export const faultyGroupWrite = async <Value>(fault: Fault, send: () => Promise<Value>): Promise<Value> => {
  switch (fault) {
    case 'limited':
      throw limited();
    case 'unavailable':
      throw unavailable('no');
    case 'lost-before':
      throw unavailable('unknown');
    case 'lost-after':
    case 'lost-half':
      await send();
      throw unavailable('unknown');
    case 'invalid':
      throw new InvalidError('the remote does not like it', optionsOf(400, 'no'));
    case 'revoked':
      throw revoked();
    default:
      return send();
  }
};

/** Throws the error of a fault in a read; returns where the fault does not apply to reads. */
export const faultyRead = (fault: Fault): void => {
  if (fault === 'limited') throw limited();
  if (fault === 'revoked') throw revoked();
  if (fault === 'unavailable' || fault.startsWith('lost')) throw unavailable('no');
};

/** Applies a fault to a page of a feed. */
export const faultyPage = (
  fault: Fault,
  mode: 'changes' | 'whole',
  page: FeedPage,
  mayHide: (id: string) => boolean,
): FeedPage => {
  faultyRead(fault);
  if (fault === 'expired' && mode === 'changes') {
    throw new CursorExpiredError('the cursor is dead', optionsOf(410, 'no'));
  }
  if (fault !== 'hole' || mode !== 'whole') return page;
  const hidden = page.changes.find((change) => change.kind === 'upsert' && mayHide(change.record.id));
  return hidden === undefined ? page : { ...page, changes: page.changes.filter((change) => change !== hidden) };
};
