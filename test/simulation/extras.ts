import type { Rejection } from '../../src/core/state/rows.ts';
import { inFieldOrder, textIn, withValue, type SyncedField } from '../../src/core/contact/contact.ts';
import { otherSide, SIDES, type Side } from '../../src/core/contact/side.ts';
import { SHOWS_NOTHING, type Choosing } from './choices.ts';
import { SHOWN } from './computing.ts';
import type { History } from './history.ts';
import { liveRows, type World } from './world.ts';

/** The side that shows the values computed by the other side; null where the link shows none. */
const showingSide = ({ players, shows, hardness }: History): Side | null => {
  const side = SIDES.find((each) => players[each] === 'google' && players[otherSide(each)] === 'service');
  const direction = hardness?.direction ?? 'both';
  const mayShow = side !== undefined && (direction === 'both' || direction === `to-${side}`);
  return shows === true && mayShow ? side : null;
};

/** Whether one side shows the values that the other side computes. */
export const showsExtras = (history: History): boolean => showingSide(history) !== null;

/** All fields that the link syncs, and the directions of computed ones. */
export const withExtras = (
  history: History,
  { fields }: Choosing,
): { readonly fields: readonly SyncedField[]; readonly directions: { readonly [SHOWN]?: `to-${Side}` } } => {
  const side = showingSide(history);
  if (side === null || fields === SHOWS_NOTHING) return { fields, directions: {} };
  return { fields: inFieldOrder([...fields, SHOWN]), directions: { [SHOWN]: `to-${side}` } };
};

/** Applies the changes of computed values before a run. */
export const compute = (history: History, world: World, run: number): void => {
  const side = showingSide(history);
  if (side === null) return;
  if (world.choosing.fields === SHOWS_NOTHING) world.extras.wasOff = true;
  for (const { who, what, isStamped, countsPeople } of history.computing?.[run] ?? []) {
    const book = world.books[what === 'scribble' ? side : otherSide(side)];
    const rows = countsPeople === true ? liveRows(book).toSorted((a, b) => a.entity - b.entity) : liveRows(book);
    const row = rows[who % rows.length];
    if (row === undefined) continue;
    const text = what === 'none' ? '' : `${what} ${world.nextNumber()}`;
    book.compute(row, withValue(row.contact, SHOWN, text), isStamped || what === 'scribble');
    if (what === 'scribble') {
      world.extras.scribbled.add(row);
      world.extras.everScribbled.add(row);
    }
    if (what !== 'another') continue;
    world.extras.sources.set(text, row);
    const like = world.pairs.find((ids) => ids[otherSide(side)] === row.id);
    const shown = like === undefined ? undefined : world.books[side].find(like[side]);
    if (shown !== undefined) world.extras.scribbled.delete(shown);
  }
};

/** Each linked contact shows the computed value, unless its side refuses it. */
export const checkShown = (history: History, world: World, rejections: readonly Rejection[]): string[] => {
  const side = showingSide(history);
  if (side === null || world.choosing.fields === SHOWS_NOTHING) return [];
  return world.pairs.flatMap((ids) => {
    const [shown, computed] = [
      world.books[side].find(ids[side]),
      world.books[otherSide(side)].find(ids[otherSide(side)]),
    ];
    if (shown?.state !== 'live' || computed?.state !== 'live') return [];
    const [is, due] = [textIn(shown.contact, SHOWN), textIn(computed.contact, SHOWN)];
    const isRefused = rejections.some(({ key }) => key.split(' ').includes(shown.id));
    // A text under the field's name stays where no value of this contact was ever shown: it may be new, and the text may have been
    // computed of a deleted contact of the same person.
    const { written, everScribbled, scribbled, wasOff } = world.extras;
    const isLeftover = due === '' && (wasOff || !written.has(computed) || everScribbled.has(shown));
    // A backup may have restored the value from before a user overwrote it, or a contact that showed it was merged into
    // one with another text: the value was not computed again.
    const hasShown = world.books[side].rows.some(
      (row) => [row, row.mergedInto].includes(shown) && world.extras.shown.get(row) === due,
    );
    const isOld = everScribbled.has(shown) && hasShown;
    if (is === due || isRefused || isLeftover || isOld || scribbled.has(shown)) return [];
    return [`${shown.id} shows "${is}", but "${due}" was computed`];
  });
};
