import type { GroupRecord } from '../contact/record.ts';
import type { Side } from '../contact/side.ts';
import { foldGroupName } from './policy.ts';

/** A change to a group of one side. */
export type GroupAction =
  | {
      readonly kind: 'create-group';
      readonly side: Side;
      readonly key: string;
      readonly name: string;
      /** The details of the deleted group that is recreated (`GroupRecord.details`). */
      readonly details?: string;
    }
  | {
      readonly kind: 'rename-group';
      readonly side: Side;
      readonly key: string;
      readonly group: GroupRecord;
      readonly name: string;
      /** The id of a group without a pair that has the name already; left out if no such group exists. */
      readonly namesake?: string;
      /** A temporary name that the group gets before any other action; left out if none is needed. */
      readonly via?: string;
    }
  | {
      readonly kind: 'delete-group';
      readonly side: Side;
      readonly key: string;
      readonly group: GroupRecord;
      /** The name that the user gave to the group. */
      readonly name: string;
      /** See `via` of a rename. */
      readonly via?: string;
    };

type Rename = Extract<GroupAction, { kind: 'rename-group' }>;

const TEMPORARY = 'Renaming (contact-sync ';

/**
 * Returns the temporary name of a group whose name another group of the run needs first. It contains the key of the pair, so that a
 * later run recognises it after a crash.
 */
export const temporaryName = (key: string): string => `${TEMPORARY}${key})`;

export const isTemporary = ({ name }: Pick<GroupRecord, 'name'>): boolean => name.startsWith(TEMPORARY);

/** The ids of the groups of a side that have a name, by the folded name. */
type Holders = Map<string, Set<string>>;

const holdersOf = (groups: Iterable<GroupRecord>): Holders => {
  const holders: Holders = new Map();
  for (const { id, name } of groups) {
    const folded = foldGroupName(name);
    holders.set(folded, (holders.get(folded) ?? new Set()).add(id));
  }
  return holders;
};

/** Removes the actions that cannot be done: renames to a name that another group keeps. */
export const withoutBlocked = (
  actions: readonly GroupAction[],
  groups: readonly GroupRecord[],
): readonly GroupAction[] => {
  const holders = holdersOf(groups);
  const moves = new Set(actions.flatMap((action) => (action.kind === 'create-group' ? [] : [action.group.id])));
  const isBlocked = (action: GroupAction): boolean =>
    action.kind === 'rename-group' &&
    [...(holders.get(foldGroupName(action.name)) ?? [])].some((id) => id !== action.group.id && !moves.has(id));
  const free = actions.filter((action) => !isBlocked(action));
  return free.length === actions.length ? actions : withoutBlocked(free, groups);
};

/**
 * Orders the renames of a side so that each name is free when a group gets it. If names rotate, one group first gets
 * a temporary name (`via`).
 */
const orderRenames = (renames: readonly Rename[], groups: readonly GroupRecord[]): readonly Rename[] => {
  const holders = holdersOf(groups);
  const pending = new Map(renames.map((rename) => [rename.group.id, rename]));
  const release = ({ group: { id, name } }: Rename): void => {
    holders.get(foldGroupName(name))?.delete(id);
  };
  const isBlocked = ({ group, name }: Rename): boolean =>
    [...(holders.get(foldGroupName(name)) ?? [])].some((id) => id !== group.id && pending.has(id));
  const ordered: Rename[] = [];
  let [next] = renames;
  while (next !== undefined) {
    const free = [...pending.values()].find((rename) => !isBlocked(rename));
    if (free === undefined) {
      release(next);
      pending.set(next.group.id, { ...next, via: temporaryName(next.key) });
    } else {
      release(free);
      pending.delete(free.group.id);
      ordered.push(free);
    }
    next = [...pending.values()].find(({ via }) => via === undefined) ?? pending.values().next().value;
  }
  return ordered;
};

/**
 * Orders the actions on the groups of one side: renames, then creations, then deletions. A deleted group whose name another group
 * gets has a temporary name until it is deleted (`via`). Pure.
 */
export const orderGroupActions = (
  actions: readonly GroupAction[],
  groups: readonly GroupRecord[],
): readonly GroupAction[] => {
  const renames = actions.filter((action) => action.kind === 'rename-group');
  const creations = actions.filter((action) => action.kind === 'create-group');
  const wanted = new Set([...renames, ...creations].map(({ name }) => foldGroupName(name)));
  const deletions = actions
    .filter((action) => action.kind === 'delete-group')
    .map((action) => (wanted.has(foldGroupName(action.name)) ? { ...action, via: temporaryName(action.key) } : action));
  return [...orderRenames(renames, groups), ...creations, ...deletions];
};
