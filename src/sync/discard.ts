import type { Side } from '../contact/side.ts';
import type { Session } from './context.ts';
import { discardListing } from './state/observe.ts';

/** Forgets a listing whose result is not believed: the next run lists the side whole. */
export const discard = async ({ link, store, writer }: Session, side: Side): Promise<void> => {
  const { cursors } = await store.link(link);
  await writer.apply({ missing: [side] }, (set) => discardListing(set, side, cursors[side]));
};
