import { isAway } from '../core/contact/half.ts';
import type { Side } from '../core/contact/side.ts';
import { ROWS_PER_COMMIT } from './link-writer.ts';
import { halvesIn } from './opening.ts';
import type { Session } from './session.ts';
import { chunks } from '../util/batches.ts';
import { discardListing } from '../core/state/observe.ts';

/** Discards a listing that cannot be trusted. The next run lists the side whole. */
export const discard = async (session: Session, side: Side): Promise<void> => {
  const { cursors } = session.state();
  const ids = (await halvesIn(session, ['missing'], side)).map(({ id }) => id);
  await session.writer.apply({ ids: { [side]: ids } }, (set) => discardListing(set, side, cursors[side]));
};

/** Drops the unpaired contacts of a side, except deleted ones. The next full listing stores those that exist. */
export const discardUnpaired = async ({ link, store, writer }: Session, side: Side): Promise<void> => {
  const unpaired = (await store.index(link, side)).filter((half) => half.pair === null && !isAway(half));
  for (const chunk of chunks(unpaired, ROWS_PER_COMMIT)) {
    const ids = chunk.map(({ id }) => id);
    await writer.apply({ ids: { [side]: ids } }, (set) => {
      for (const id of ids) set.drop({ side, id });
    });
  }
};
