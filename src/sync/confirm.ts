import { SIDES, type Side } from '../contact/side.ts';
import type { Session } from './context.ts';
import { emptiedSides } from './guard.ts';
import { observeMissing } from './state/observe.ts';

const confirmSide = async (session: Session, side: Side): Promise<void> => {
  const { clock, link, remotes, signal, store, writer } = session;
  const missing = await store.halves(link, { by: 'state', states: ['missing', 'settling', 'doubted'], side });
  if (missing.length === 0) return;
  const { capabilities } = remotes[side];
  const ids = missing.map((half) => half.id);
  const answers = await remotes[side].read(ids, signal);
  const moved = [...answers.values()].flatMap((answer) => (answer.kind === 'moved' ? [answer.record.id] : []));
  await writer.apply({ ids: { [side]: [...ids, ...moved] }, gone: moved.length > 0 ? [side] : [] }, (set) => {
    for (const id of ids) {
      const half = set.half(side, id);
      const answer = answers.get(id);
      if (half !== null && answer !== undefined) observeMissing(set, half, answer, capabilities, clock.now());
    }
  });
};

/**
 * Confirms each contact that a full listing missed by a read of its id (R7). A side that came back empty is not read
 * contact by contact: the guard halts on it first.
 */
export const confirmMissing = async (session: Session): Promise<void> => {
  const emptied = await emptiedSides(session);
  for (const side of SIDES) {
    if (!emptied.includes(side) || session.acceptDeletes) await confirmSide(session, side);
  }
};
