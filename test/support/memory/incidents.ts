import type { FeedPage } from '../../../src/core/contact/requests.ts';
import {
  CursorExpiredError,
  InvalidError,
  LimitedError,
  RevokedError,
  StaleError,
  UnavailableError,
  type Applied,
  type RemoteError,
} from '../../../src/providers/errors.ts';
import type { WriteResult } from '../../../src/providers/remote.ts';

/** What can go wrong with one call of a remote. */
export const FAULTS = [
  /** 429; not applied. */
  'limited',
  /** 5xx or a refused connection; not applied. */
  'unavailable',
  /** A reset before the write was applied; the caller cannot know. */
  'lost-before',
  /** The write was applied, its answer was lost. */
  'lost-after',
  /** Half of a batch was applied, then the connection broke. */
  'lost-half',
  /** The first item's etag is not the last one, whatever stands there. */
  'stale',
  /** The first item is refused, for no lasting reason. */
  'invalid',
  /** The feed's cursor is dead. */
  'expired',
  /** A full listing leaves one contact out. */
  'hole',
  /** The permission was taken back, for a while. */
  'revoked',
  /** The process stands still for longer than its lease. */
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

/** Sends a batch of writes through a fault, to a remote that checks versions or does not; null where the fault does not concern writes. */
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

/** Sends one group write through a fault: group writes throw. */
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

/** What a fault makes of a read; returns where the fault does not concern reads. */
export const faultyRead = (fault: Fault): void => {
  if (fault === 'limited') throw limited();
  if (fault === 'revoked') throw revoked();
  if (fault === 'unavailable' || fault.startsWith('lost')) throw unavailable('no');
};

/** What a fault makes of a page of a feed. */
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
