import { FIELDS } from '../core/contact/fields.ts';
import type { GroupRecord } from '../core/contact/record.ts';
import type { MembershipRequest } from '../core/contact/requests.ts';
import { textKey } from '../core/contact/text.ts';
import { NameTakenError } from './errors.ts';

/** Returns group ids in the order of records: sorted, each once. */
export const sortedIds = (ids: Iterable<string>): readonly string[] => FIELDS.buckets.normalise([...ids]);

/** Returns the membership after a change. */
export const membershipAfter = (
  current: readonly string[],
  { add, remove }: Pick<MembershipRequest, 'add' | 'remove'>,
): readonly string[] => {
  const removed = new Set(remove);
  return sortedIds([...current.filter((id) => !removed.has(id)), ...add]);
};

/**
 * Creates a group. If its name is taken, returns the group of that name: the one with the same spelling if there are several.
 * Throws the error of the create if no such group is listed.
 */
export const createOrAdopt = async (
  name: string,
  create: () => Promise<GroupRecord>,
  list: () => Promise<readonly GroupRecord[]>,
): Promise<GroupRecord> => {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof NameTakenError)) throw error;
    const namesakes = (await list()).filter((group) => textKey(group.name) === textKey(name));
    const namesake = namesakes.find((group) => group.name === name) ?? namesakes[0];
    if (namesake === undefined) throw error;
    return namesake;
  }
};
