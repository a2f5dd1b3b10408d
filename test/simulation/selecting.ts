import { otherSide, SIDES, type Side } from '../../src/core/contact/side.ts';
import type { Group, Row } from '../support/memory/book.ts';
import { isSimple } from './parts.ts';
import { liveRows, type World } from './world.ts';

/** Computes from the address books which contacts are selected, and checks the contacts that are not. */

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

/** Whether a side selects a contact: the last pattern that matches one of its groups decides. */
const isSelectedAt = (world: World, side: Side, row: Row): boolean => {
  const names = [...row.groupIds].flatMap((id) => world.books[side].findGroup(id)?.name ?? []);
  return selects(world.parts.contacts[side], names);
};

/** Whether any side selects the person. */
export const isWanted = (world: World, entity: number): boolean =>
  SIDES.some((side) =>
    liveRows(world.books[side]).some((row) => row.entity === entity && isSelectedAt(world, side, row)),
  );

/** The groups of a contact, each by its number on both sides. */
type Membership = ReadonlySet<number>;

/** The ids of the groups that the link may assume for a contact: the current ones, and former ones whose end it may not know. */
export const groupIdsOf = (world: World, side: Side, row: Row): readonly ReadonlySet<string>[] => {
  const possibleStates = row.shown.filter((_, index) => {
    const next = row.shown[index + 1];
    return next === undefined || Math.max(next.visibleAtMs, next.fedAtMs) >= world.parts.knownSinceMs[side];
  });
  return [...possibleStates.map(({ record }) => new Set(record.groupIds)), row.groupIds];
};

/** The same, as group numbers. */
const membershipsOf = (world: World, side: Side, row: Row): readonly Membership[] =>
  groupIdsOf(world, side, row).map(
    (ids) => new Set([...ids].flatMap((id) => world.books[side].findGroup(id)?.entity ?? [])),
  );

const groupAt = (world: World, side: Side, entity: number): Group | undefined =>
  world.books[side].groups.find((group) => group.live && group.entity === entity);

/**
 * Whether a side selects a contact in these groups, for each possible plan for the groups: a name may be
 * that of either side, and a group that is deleted on one side is deleted on the other one.
 */
const readings = (world: World, side: Side, groups: Membership): readonly boolean[] => {
  const compared = [...groups].filter((entity) => !world.ledger.deletedGroups.has(entity));
  return [[...groups], compared].flatMap((entities) =>
    SIDES.map((first) => {
      const names = entities.flatMap(
        (entity) => (groupAt(world, first, entity) ?? groupAt(world, otherSide(first), entity))?.name ?? [],
      );
      return selects(world.parts.contacts[side], names);
    }),
  );
};

/** Whether the link may compute that the side selects the contact. */
const mayBeSelected = (world: World, side: Side, row: Row): boolean =>
  membershipsOf(world, side, row).some((groups) => readings(world, side, groups).includes(true));

const rowsOf = (world: World): Map<number, readonly (readonly [Side, Row])[]> =>
  Map.groupBy(
    SIDES.flatMap((side) => world.books[side].rows.map((row) => [side, row] as const)),
    ([, row]) => row.entity,
  );

/** Records the people of unlinked pairs. They are paired again as at a first meeting. */
export const noteUnlinked = ({ agreed, extras, ledger, parts }: World): void => {
  for (const row of parts.unlinked) {
    const { entity } = row;
    extras.written.delete(row);
    parts.reunited.add(entity);
    ledger.allowReturn(entity);
    agreed.delete(entity);
  }
};

/** Records the people whose contact may be on one side only. */
export const noteLost = (world: World): void => {
  const { mayStayAlone } = world.parts;
  for (const [entity, rows] of rowsOf(world)) {
    const gone = rows.filter(([, { state }]) => state !== 'live');
    if (gone.length === 0) continue;
    const compared = rows.filter(([, { state }]) => state === 'live');
    const isDoubtful = compared.some(([side, row]) =>
      membershipsOf(world, side, row).some((groups) => readings(world, side, groups).includes(false)),
    );
    if (isDoubtful) mayStayAlone.add(entity);
  }
};

/** Computes the people to which the next run must not write: no side selects them, in any state that the link may assume. */
export const noteUntouchable = (world: World): void => {
  const { open, selects: isSelecting, untouchable } = world.parts;
  untouchable.clear();
  // If the answer to a merge was lost, the next run restores the replaced values.
  for (const row of world.parts.merged) if (!world.unanswered.has(row)) world.parts.merged.delete(row);
  if (!isSelecting) return;
  for (const [entity, rows] of rowsOf(world)) {
    if (!isSimple(world, entity) || rows.some(([side, row]) => open.has(row) || mayBeSelected(world, side, row)))
      continue;
    untouchable.add(entity);
  }
};

/** Records what a completed run has read, and the memberships that it has read. */
export const noteRead = (world: World, startedAtMs: number, isFull: boolean): void => {
  world.parts.readSinceMs = startedAtMs;
  for (const side of SIDES) {
    const { membershipIsVersioned } = world.books[side].provider;
    if (isFull || membershipIsVersioned) world.parts.knownSinceMs[side] = startedAtMs;
  }
};

const describeRows = (rows: readonly (readonly [Side, Row])[]): string =>
  rows.map(([side, row]) => `${row.id} at ${side}`).join(' and ');

/** Two contacts of one person are linked where a side selects them. Otherwise they are unpaired. */
export const checkParts = (world: World): string[] =>
  [...rowsOf(world)].flatMap(([entity, all]) => {
    const rows = all.filter(([, { state }]) => state === 'live');
    if (!isSimple(world, entity) || rows.length === 0) return [];
    const statuses = new Set(rows.map(([, row]) => world.parts.statuses.get(row) ?? 'none'));
    const who = describeRows(rows);
    if (rows.length < 2) return [];
    if (statuses.size > 1) return [`${who} are in different pairs: ${[...statuses].join()}`];
    const isWantedNow = isWanted(world, entity);
    if (isWantedNow && !statuses.has('linked')) return [`${who} are selected but ${[...statuses].join()}`];
    return !isWantedNow && statuses.has('linked') ? [`${who} are linked but no side selects them`] : [];
  });

/** Whether a contact may be on one side only: no side selects it, or its counterpart was deleted while that was possible. */
export const mayStandAlone = (world: World, side: Side, row: Row): boolean =>
  !isSelectedAt(world, side, row) || world.parts.mayStayAlone.has(row.entity);

/** Whether a contact has no effect: it is unpaired because its side does not select it. */
export const isSetAside = (world: World, side: Side, row: Row): boolean => {
  const status = world.parts.statuses.get(row);
  return world.parts.selects && status !== 'linked' && mayStandAlone(world, side, row);
};
