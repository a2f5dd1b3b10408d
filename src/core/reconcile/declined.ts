import { listsIn, scalarsIn, textIn, type Contact, type SyncedField } from '../contact/contact.ts';
import { differingKeys, listOf } from '../contact/lists.ts';
import { equalIn, type Declined, type Snapshot, withDeclined } from '../contact/snapshot.ts';

/** The values that were written to one side, and the values that the side has since then. */
type AnsweredFields = {
  /** Fields that were written to the side. */
  readonly written: ReadonlySet<SyncedField>;
  /** The values that were written to these fields. */
  readonly wanted: Contact;
  readonly now: Contact;
  /** The values of the other side. */
  readonly other: Contact;
  /** This side's groups in which the membership is to differ. */
  readonly groups: readonly string[];
};

type Answered = AnsweredFields & { readonly former: Declined | undefined };

/** Returns the declined value of a text: the other side's value, while this side does not have it. */
const declinedText = (field: ReturnType<typeof scalarsIn>[number], answered: Answered): readonly string[] => {
  const { former, written, wanted, now, other } = answered;
  const known = [...(former?.[field] ?? []), ...(written.has(field) ? [textIn(wanted, field)] : [])];
  const value = textIn(other, field);
  return value !== textIn(now, field) && known.includes(value) ? [value] : [];
};

/** Returns the keys of declined elements in which the lists of both sides still differ. */
const declinedKeys = (field: ReturnType<typeof listsIn>[number], answered: Answered): readonly string[] => {
  const { former, written, wanted, now, other } = answered;
  const refused = written.has(field) ? differingKeys(field, listOf(wanted, field), listOf(now, field)) : [];
  const known = new Set([...(former?.[field] ?? []), ...refused]);
  if (known.size === 0) return [];
  return differingKeys(field, listOf(now, field), listOf(other, field)).filter((key) => known.has(key));
};

/**
 * Returns the accepted differences between a side and the other side after the side answered a write (R2): the earlier ones and the
 * values that the side did not accept now, while the two sides still differ in them. Pure.
 */
const settleDeclined = (answered: Answered): Declined => {
  const { former, groups, written, wanted, now, other } = answered;
  const isTaken = (field: SyncedField): boolean => field === 'buckets' || equalIn(field, wanted, now);
  const isSame = former === undefined && [...written].every(isTaken);
  if (isSame) return groups.length === 0 ? {} : { buckets: groups };
  const entries = [
    ['buckets', groups] as const,
    ...scalarsIn(wanted, now, other).map((field) => [field, declinedText(field, answered)] as const),
    ...listsIn(wanted, now, other).map((field) => [field, declinedKeys(field, answered)] as const),
  ];
  return Object.fromEntries(entries.filter(([, values]) => values.length > 0));
};

/** Returns the base with the accepted differences from the other side after the side answered a write (R2). Pure. */
export const withSettledDifferences = (base: Snapshot, answered: AnsweredFields): Snapshot =>
  withDeclined(base, settleDeclined({ ...answered, former: base.declined }));

/** Returns the base without accepted differences from the other side that do not exist any more. Pure. */
export const withoutPastDifferences = (base: Snapshot, now: Contact, other: Contact): Snapshot => {
  if (base.declined === undefined) return base;
  const groups = base.declined.buckets ?? [];
  return withSettledDifferences(base, { written: new Set(), wanted: other, now, other, groups });
};
