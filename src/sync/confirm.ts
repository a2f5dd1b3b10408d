import { SIDES, type Side } from '../contact/side.ts';
import type { ReadAnswer, RemoteCapabilities } from '../providers/remote.ts';
import type { MissingContact, StoreChange } from '../store/store.ts';
import type { Session } from './context.ts';

/** What a read of a missing contact means. */
const judgeMissing = (
  side: Side,
  missing: MissingContact,
  answer: ReadAnswer,
  { confirmsAbsenceAfter, settlesWithinMs }: RemoteCapabilities,
  nowMs: number,
): readonly StoreChange[] => {
  const { id } = missing;
  switch (answer.kind) {
    case 'gone': {
      const settling = missing.writtenAtMs !== null && nowMs - missing.writtenAtMs < settlesWithinMs;
      if (settling) return [{ kind: 'stage-settling', side, id, atMs: nowMs }];
      return [{ kind: 'stage-tombstone', side, id, atMs: nowMs }];
    }
    case 'moved':
      return [{ kind: 'rename', side, from: id, record: answer.record, atMs: nowMs }];
    case 'unreadable':
      return [{ kind: 'unstage', side, id }];
    case 'found':
      if (confirmsAbsenceAfter !== null && missing.absences + 1 >= confirmsAbsenceAfter) {
        return [{ kind: 'stage-tombstone', side, id, atMs: nowMs }];
      }
      return [
        { kind: 'unstage', side, id },
        { kind: 'stage', side, record: answer.record, atMs: nowMs },
        { kind: 'absent-again', side, id },
      ];
  }
};

const confirmSide = async (session: Session, side: Side): Promise<void> => {
  const missing = await session.store.missing(session.link, side);
  if (missing.length === 0) return;
  const answers = await session.remotes[side].read(
    missing.map((contact) => contact.id),
    session.signal,
  );
  const changes = missing.flatMap((contact) => {
    const answer = answers.get(contact.id);
    return answer === undefined
      ? []
      : judgeMissing(side, contact, answer, session.remotes[side].capabilities, session.clock.now());
  });
  await session.store.commit(session.link, changes);
};

/**
 * Confirms each contact that a full listing missed by a read of its id (R7). A side that came back empty is not read
 * contact by contact: the guard halts on it first.
 */
export const confirmMissing = async (session: Session): Promise<void> => {
  const counts = await session.store.counts(session.link);
  for (const side of SIDES) {
    const emptied = counts.pairs >= 2 && counts.present[side] === 0;
    if (!emptied || session.acceptDeletes) await confirmSide(session, side);
  }
};
