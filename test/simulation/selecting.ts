import { otherSide, SIDES, type Side, type Sides } from '../../src/core/contact/side.ts';
import type { Group, Row } from '../support/memory/book.ts';
import { isSimple } from './parts.ts';
import { liveRows, type World } from './world.ts';

/** Which contacts take part, as a user of the two address books would tell, and what follows for whom nobody selects. */

const matches = (pattern: string, name: string): boolean => {
  const [glob, word] = [pattern.toLowerCase(), name.toLowerCase()];
  if (glob.startsWith('*')) return word.endsWith(glob.slice(1));
  return glob.endsWith('*') ? word.startsWith(glob.slice(0, -1)) : word === glob;
};

const selects = (patterns: readonly string[], names: readonly string[]): boolean =>
  patterns.reduce((selected, pattern) => {
    const glob = pattern.replace(/^!/u, '');
    return glob === '*' || names.some((name) => matches(glob, name)) ? !pattern.startsWith('!') : selected;
  }, false);

/** Whether a side selects a contact as it stands there: the last pattern that matches one of its groups decides. */
const isSelectedAt = (world: World, side: Side, row: Row): boolean => {
  const names = [...row.groupIds].flatMap((id) => world.books[side].findGroup(id)?.name ?? []);
  return selects(world.parts.contacts[side], names);
};

/** Whether any side selects the person. */
export const isWanted = (world: World, entity: number): boolean =>
  SIDES.some((side) =>
    liveRows(world.books[side]).some((row) => row.entity === entity && isSelectedAt(world, side, row)),
  );

/** The groups of a contact, each by what it is at whichever side. */
type Membership = ReadonlySet<number>;

/** The ids of what the link may take for a contact's groups: those that stand, and those that it need not know to be past. */
export const groupIdsOf = (world: World, side: Side, row: Row): readonly ReadonlySet<string>[] => {
  const faces = row.shown.filter((_, index) => {
    const next = row.shown[index + 1];
    return next === undefined || Math.max(next.visibleAtMs, next.fedAtMs) >= world.parts.knownSinceMs[side];
  });
  return [...faces.map(({ record }) => new Set(record.groupIds)), row.groupIds];
};

/** The same, as the groups that they are. */
const membershipsOf = (world: World, side: Side, row: Row): readonly Membership[] =>
  groupIdsOf(world, side, row).map(
    (ids) => new Set([...ids].flatMap((id) => world.books[side].findGroup(id)?.entity ?? [])),
  );

const groupAt = (world: World, side: Side, entity: number): Group | undefined =>
  world.books[side].groups.find((group) => group.live && group.entity === entity);

/**
 * Whether a side selects whoever is in these groups, under every reading of what the plan makes of the groups: a name may be
 * that of either side, and a group that is gone at one side goes at the other one.
 */
const readings = (world: World, side: Side, groups: Membership): readonly boolean[] => {
  const standing = [...groups].filter((entity) => !world.ledger.deadGroups.has(entity));
  return [[...groups], standing].flatMap((entities) =>
    SIDES.map((first) => {
      const names = entities.flatMap(
        (entity) => (groupAt(world, first, entity) ?? groupAt(world, otherSide(first), entity))?.name ?? [],
      );
      return selects(world.parts.contacts[side], names);
    }),
  );
};

/** Whether the link may find that the side selects the contact. */
const mayBeSelected = (world: World, side: Side, row: Row): boolean =>
  membershipsOf(world, side, row).some((groups) => readings(world, side, groups).includes(true));

/** Every subset of a few; nothing where they are too many to tell. */
const subsetsOf = (items: readonly number[]): readonly (readonly number[])[] => {
  let subsets: readonly (readonly number[])[] = [[]];
  for (const item of items) subsets = subsets.flatMap((subset) => [subset, [...subset, item]]);
  return subsets;
};

/** What may become of the memberships of two contacts: they stay as they are, or each that differs goes either way. */
const outcomesOf = (left: Membership, right: Membership): readonly Sides<Membership>[] => {
  const common = [...left.intersection(right)];
  const merged = subsetsOf([...left.symmetricDifference(right)]).map((some) => new Set([...common, ...some]));
  return [{ left, right }, ...merged.map((both) => ({ left: both, right: both }))];
};

/** Whether the link may find, or bring about, that no side selects the two contacts of a pair. */
export const mayBeUnselected = (world: World, rows: Sides<Row>): boolean =>
  membershipsOf(world, 'left', rows.left).some((left) =>
    membershipsOf(world, 'right', rows.right).some((right) =>
      outcomesOf(left, right).some((outcome) =>
        SIDES.every((side) => readings(world, side, outcome[side]).includes(false)),
      ),
    ),
  );

const rowsOf = (world: World): Map<number, readonly (readonly [Side, Row])[]> =>
  Map.groupBy(
    SIDES.flatMap((side) => world.books[side].rows.map((row) => [side, row] as const)),
    ([, row]) => row.entity,
  );

/** Whether whatever run begins now hears of a deletion: a feed names it, or a read does, and nothing shows the contact. */
const isTold = ({ clock }: World, { shown }: Row): boolean =>
  shown.every(({ fedAtMs, visibleAtMs }) => Math.max(fedAtMs, visibleAtMs) <= clock.now());

/** The contacts of pairs asleep, as of the end of the last run. */
export const rowsAsleep = ({ parts }: World): readonly Row[] =>
  [...parts.statuses].flatMap(([row, status]) => (status === 'asleep' ? [row] : []));

/** Keeps in mind which of these contacts went while they were set apart. */
export const noteLostApart = (world: World, asleep: readonly Row[]): void => {
  for (const side of SIDES) {
    const lost = world.books[side].rows.filter((row) => asleep.includes(row) && row.state === 'deleted');
    for (const row of lost.filter((each) => isTold(world, each))) world.parts.lostApart[side].add(row.entity);
  }
};

/** Keeps in mind whose contact may stay alone. */
export const noteLost = (world: World): void => {
  const { mayStayAlone, statuses } = world.parts;
  for (const [entity, rows] of rowsOf(world)) {
    const gone = rows.filter(([, { state }]) => state !== 'live');
    if (gone.length === 0) continue;
    const standing = rows.filter(([, { state }]) => state === 'live');
    const wasApart = rows.some(([, row]) => statuses.get(row) === 'asleep');
    const isDoubtful = standing.some(([side, row]) =>
      membershipsOf(world, side, row).some((groups) => readings(world, side, groups).includes(false)),
    );
    if (wasApart || isDoubtful) mayStayAlone.add(entity);
  }
};

/**
 * Tells to whom the run that begins may write nothing: people whom no side selects, whatever the link knows of them, and
 * of whom no contact went before they were set apart.
 */
export const noteUntouchable = (world: World): void => {
  const { open, selects: isSelecting, statuses, untouchable } = world.parts;
  untouchable.clear();
  // Where nobody heard what a merge came to, the next run gives back what it took.
  for (const row of world.parts.merged) if (!world.unanswered.has(row)) world.parts.merged.delete(row);
  if (!isSelecting) return;
  for (const [entity, rows] of rowsOf(world)) {
    if (!isSimple(world, entity) || rows.some(([side, row]) => open.has(row) || mayBeSelected(world, side, row)))
      continue;
    const isGone = rows.some(([, { state }]) => state !== 'live');
    const isLinked = rows.some(([, row]) => statuses.get(row) === 'linked');
    if (!isGone || !isLinked) untouchable.add(entity);
  }
};

/** A run that began then has completed: what it has read, and which memberships. */
export const noteRead = (world: World, startedAtMs: number, isFull: boolean): void => {
  world.parts.readSinceMs = startedAtMs;
  for (const side of SIDES) {
    const { membershipIsVersioned } = world.books[side].provider;
    if (isFull || membershipIsVersioned) world.parts.knownSinceMs[side] = startedAtMs;
  }
};

/** People who are set apart, by what is stored of them. */
export const peopleApart = (world: World): Set<number> => new Set(rowsAsleep(world).map(({ entity }) => entity));

const whoAre = (rows: readonly (readonly [Side, Row])[]): string =>
  rows.map(([side, row]) => `${row.id} at ${side}`).join(' and ');

/**
 * Two contacts of one person are linked where a side selects them, and asleep, or each for itself, where none does; nobody
 * is asleep with half of them gone.
 */
export const checkParts = (world: World): string[] =>
  [...rowsOf(world)].flatMap(([entity, all]) => {
    const rows = all.filter(([, { state }]) => state === 'live');
    if (!isSimple(world, entity) || rows.length === 0) return [];
    const statuses = new Set(rows.map(([, row]) => world.parts.statuses.get(row) ?? 'none'));
    const who = whoAre(rows);
    if (rows.length < 2) return statuses.has('asleep') ? [`${who} sleeps alone`] : [];
    if (statuses.size > 1) return [`${who} stand in different pairs: ${[...statuses].join()}`];
    const isWantedNow = isWanted(world, entity);
    if (isWantedNow && !statuses.has('linked')) return [`${who} are selected and yet ${[...statuses].join()}`];
    return !isWantedNow && statuses.has('linked') ? [`${who} are selected by nobody and yet linked`] : [];
  });

/** Whether a contact may stand at one side only: nobody selects it, or its like went while that may have been so. */
export const mayStandAlone = (world: World, side: Side, row: Row): boolean =>
  !isSelectedAt(world, side, row) || world.parts.mayStayAlone.has(row.entity);

/** Whether nothing follows from a contact: it sleeps, or stands for itself because its side does not select it. */
export const isSetAside = (world: World, side: Side, row: Row): boolean => {
  const status = world.parts.statuses.get(row);
  return world.parts.selects && (status === 'asleep' || (status !== 'linked' && mayStandAlone(world, side, row)));
};
