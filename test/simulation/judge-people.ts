import { SIDES, type Side } from '../../src/core/contact/side.ts';
import type { RunEvent } from '../../src/engine/run-event.ts';
import type { Row } from '../support/memory/book.ts';
import { bareName, elementsOf, textsOf, type Known } from './people.ts';
import { liveRows, type World } from './world.ts';

/** Records the possible matches that the link reported. These people may keep two contacts and are not checked further. */
export const noteReported = (world: World, event: RunEvent): void => {
  if (event.kind !== 'ambiguous') return;
  const entitiesOf = (side: Side): ReadonlySet<number> =>
    new Set(event[side].flatMap((id) => world.books[side].find(id)?.entity ?? []));
  for (const entity of entitiesOf('left').intersection(entitiesOf('right'))) {
    if (world.people.known.get(entity)?.isPossibleMatch === true) world.ledger.ambiguous.add(entity);
  }
};

/** No pair joins contacts of two people. */
export const checkPairs = (world: World): void => {
  for (const ids of world.pairs) {
    const [left, right] = [world.books.left.find(ids.left), world.books.right.find(ids.right)];
    if (left === undefined || right === undefined || left.entity === right.entity) continue;
    const { known } = world.people;
    if (!known.has(left.entity) || !known.has(right.entity)) continue;
    const complaint = `${left.id} and ${right.id} are paired, and are two people`;
    if (!world.complaints.includes(complaint)) world.complaints.push(complaint);
  }
};

/** Whether a text belongs to the person, or is the start of a text that its side truncated. */
const isOwned = ({ owned }: Known, text: string, longest: number): boolean =>
  owned.has(text) || (text.length >= longest && [...owned].some((each) => each.startsWith(text)));

const checkRow = (world: World, side: Side, row: Row, known: Known): readonly string[] => {
  const name = bareName(row.contact);
  const longest = 'title '.length + world.books[side].manners.titleLength;
  const foreign = [...elementsOf(row.contact), ...textsOf(row.contact)].filter(
    (each) => !isOwned(known, each, longest),
  );
  const jobs = world.people.jobs.get(row) ?? [];
  return [
    ...foreign.map((each) => `${row.id} at ${side} has ${each}, which is of another person`),
    ...(known.names.has(name) ? [] : [`${row.id} at ${side} is named ${name}, which is no name of its person`]),
    ...(JSON.stringify(row.jobs) === JSON.stringify(jobs) ? [] : [`${row.id} at ${side} lost an organization`]),
  ];
};

/** Each contact of a person has the elements that its users entered and did not remove, and no element that they removed. */
const checkElements = (row: Row, side: Side, { held, added, removed, isUncertain }: Known): readonly string[] => {
  const present = elementsOf(row.contact);
  const missing = [...held.difference(present)].filter(
    (each) => !removed.has(each) && !(isUncertain && added.has(each)),
  );
  const left = isUncertain ? [] : [...removed.intersection(present)].filter((each) => !added.has(each));
  return [
    ...missing.map((each) => `${row.id} at ${side} lost ${each}`),
    ...left.map((each) => `${row.id} at ${side} has ${each}, which was removed`),
  ];
};

/** Each person has all of its own values, and no others, on both sides. */
export const checkPeople = (world: World): readonly string[] =>
  [...world.people.known].flatMap(([entity, known]) => {
    const rows = SIDES.flatMap((side) =>
      liveRows(world.books[side])
        .filter((row) => row.entity === entity)
        .map((row) => ({ side, row })),
    );
    const foreign = rows.flatMap(({ side, row }) => checkRow(world, side, row, known));
    const isSingle = rows.length === 2 && rows[0]?.side !== rows[1]?.side;
    if (!isSingle || world.ledger.ambiguous.has(entity)) return foreign;
    return [...foreign, ...rows.flatMap(({ side, row }) => checkElements(row, side, known))];
  });

/** At rest, earlier edits are settled. An element that users removed and added again may have either state. */
export const restPeople = (world: World): void => {
  for (const [entity, known] of world.people.known) {
    const row = liveRows(world.books.left).find((each) => each.entity === entity);
    const present = row === undefined ? new Set<string>() : elementsOf(row.contact);
    const open = known.isUncertain ? known.held.union(present) : known.added.intersection(known.removed);
    for (const element of open) {
      if (present.has(element)) known.held.add(element);
      else known.held.delete(element);
    }
    known.added.clear();
    known.removed.clear();
    known.isUncertain = false;
  }
};
