import type { Rejection } from '../store/store.ts';
import { changeLink } from './change-link.ts';
import type { LeaseParts } from './lease.ts';
import { refusalsIn } from './state/unsyncable.ts';

/**
 * Ends the wait of refused writes (R15): the next run tries them again, and counts them from the start, since what many of
 * them mean depends on the time between them. Answers those writes as they were.
 *
 * @throws {LeaseError} where a run is under way.
 */
export const retryRefused = async (
  parts: LeaseParts,
  link: string,
  isMeant: (rejection: Rejection) => boolean,
): Promise<readonly Rejection[]> => {
  const nowMs = parts.clock.now();
  let meant: readonly Rejection[] = [];
  await changeLink(parts, link, ({ rejections }) => {
    meant = refusalsIn(rejections).filter(isMeant);
    return meant.map((rejection) => ({ kind: 'reject', rejection: { ...rejection, attempts: 0, retryAtMs: nowMs } }));
  });
  return meant;
};

/** Whether a refused write is about the contact of that id, on either side. */
export const isAbout =
  (id: string) =>
  ({ leftId, rightId }: Pick<Rejection, 'leftId' | 'rightId'>): boolean =>
    leftId === id || rightId === id;
