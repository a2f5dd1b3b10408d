import { inFieldOrder, specOf, type SyncedField } from '../contact/contact.ts';
import { FIELDS } from '../contact/fields.ts';
import { otherSide, SIDES, type Side, type Sides } from '../contact/side.ts';
import type { Loss, Losses } from './losses.ts';
import type { Plan } from './plan.ts';
import type { Policy } from './policy.ts';

/** The reason why a run stops before it writes anything (R8). */
export type Halt =
  | {
      readonly reason: 'too-many-deletes' | 'side-emptied' | 'account-changed';
      readonly side: Side;
      readonly message: string;
    }
  | { readonly reason: 'first-sync' | 'same-accounts'; readonly side: null; readonly message: string };

/** The number of contacts that exist on each side, to compare with the number of linked contacts. */
export type Presence = {
  /** Contacts linked with each other. */
  readonly pairs: number;
  /**
   * Contacts that exist on each side. For a run that destroys something: only contacts of pairs, including contacts that
   * were deleted and added again.
   */
  readonly present: Sides<number>;
  /** Contacts on each side that belong to no pair; left out if they were not counted. */
  readonly others?: Sides<number>;
  /** Linked contacts that are missing but were added or changed too recently to count as missing (R7). */
  readonly tooNew: Sides<number>;
};

export type GuardInput = Presence & {
  readonly limit: Policy['deleteLimit'];
  /** The losses that the plan would cause on each side. */
  readonly losses: Sides<Losses>;
  /** The losses that this link caused on each side in the last 24 hours, since deletions were last accepted. */
  readonly recent: Sides<Losses>;
  /** Whether the link may write to each side. */
  readonly isWritable: Sides<boolean>;
  /** The id of the run that is reverted, in the plan of an undo. */
  readonly undoes: string | null;
  /** The names of the sides within a sentence. */
  readonly places: Sides<string>;
};

/** Returns the count of a limit, limited to half of the pairs but not to less than one contact; 0 if no count is set. */
const allowedCount = (count: number | null, pairs: number): number =>
  Math.min(count ?? 0, Math.max(1, Math.floor(pairs / 2)));

/** Returns how many contacts may be deleted on one side within a day; exactly that many are still allowed. */
export const allowedDeletes = (limit: Policy['deleteLimit'], pairs: number): number => {
  const share = limit.percent === null ? 0 : Math.floor((pairs * limit.percent) / 100);
  return Math.max(allowedCount(limit.count, pairs), share);
};

/** Begins the part of a message that names what a user can review and accept. Other halts end with other accounts only. */
const REVIEW = 'Review: ';

/** Returns whether the halt with this message can be answered by a review. */
export const isReviewable = (message: string): boolean => message.includes(REVIEW);

/** Returns the possible answers to a halt. `canRestore`: whether contacts that were deleted could be created again. */
const answersTo = (undoes: string | null, canRestore: boolean): string => {
  const [look, run] = undoes === null ? ['plan', 'sync'] : [`undo ${undoes} --dry-run`, `undo ${undoes}`];
  const allow = `To allow this once, run \`contact-sync ${run} --accept-deletes\`.`;
  const restore = ' To create the deleted contacts again, run `contact-sync sync --restore-deletes`.';
  return `${REVIEW}\`contact-sync ${look}\`. ${allow}${canRestore && undoes === null ? restore : ''}`;
};

const otherWords = (count: number): string => {
  if (count === 0) return '';
  return count === 1 ? ' and 1 other contact is there' : ` and ${count} other contacts are there`;
};

/** Returns the halt for a side on which no linked contact exists any more. */
const sideEmptied = (side: Side, { isWritable, others, places, undoes, ...presence }: GuardInput): Halt => ({
  reason: 'side-emptied',
  side,
  message:
    `All ${expected(side, presence)} linked contacts are missing at ${places[side]}${otherWords(others?.[side] ?? 0)}; ` +
    `nothing was written. ${answersTo(undoes, isWritable[side])}`,
});

/** Returns how many linked contacts are expected on a side. Contacts that were added or changed recently are not expected (R7). */
const expected = (side: Side, { pairs, tooNew }: Presence): number => pairs - tooNew[side];

/** Returns whether a side has no linked contact although at least two are expected. */
export const isEmptied = (side: Side, presence: Presence): boolean =>
  presence.present[side] === 0 && expected(side, presence) >= 2;

const lossWords = (loss: Loss, count: number): string => {
  switch (loss) {
    case 'contacts':
      return `delete ${count} contacts`;
    case 'members':
      return `delete groups with ${count} members`;
    default:
      return `empty the ${loss === 'buckets' ? FIELDS.buckets.words : specOf(loss).words} of ${count} contacts`;
  }
};

/** The losses that are not of a field. */
const WHOLE_LOSSES = ['contacts', 'members'] as const;

const isField = (loss: Loss): loss is SyncedField => !WHOLE_LOSSES.some((whole) => whole === loss);

/** Returns all kinds of losses, in the order in which they are reported. */
const kindsOf = (losses: Losses): readonly Loss[] => {
  const kinds = Object.keys(losses) as Loss[];
  return [...WHOLE_LOSSES, ...inFieldOrder(kinds.filter(isField))];
};

/** Returns the number of linked contacts that the limit is a share of, including the deletions of the last 24 hours. */
const bookOf = ({ pairs, recent }: GuardInput): number =>
  SIDES.reduce((sum, side) => sum + (recent[side].contacts ?? 0), pairs);

/** Returns whether the limit is 100% or more. Then losses may exceed the total: a field can be filled and emptied repeatedly. */
const isUnlimited = ({ percent }: Policy['deleteLimit']): boolean => percent !== null && percent >= 100;

const tooMany = (input: GuardInput, side: Side): Halt | null => {
  const { isWritable, limit, losses, pairs, recent, places, undoes } = input;
  if (isUnlimited(limit)) return null;
  const allowed = allowedDeletes(limit, bookOf(input));
  const parts = kindsOf(losses[side]).flatMap((loss) => {
    const [now, before] = [losses[side][loss] ?? 0, recent[side][loss] ?? 0];
    if (now === 0 || now + before <= allowed) return [];
    const earlier = before === 0 ? '' : ` (after ${before} in the last 24 hours)`;
    return [`${lossWords(loss, now)} at ${places[side]}${earlier}`];
  });
  if (parts.length === 0) return null;
  return {
    reason: 'too-many-deletes',
    side,
    message:
      `The run would ${parts.join(' and ')}, more than the ${allowed} that DELETE_LIMIT allows for ${pairs} linked ` +
      `contacts; nothing was written. ${answersTo(
        undoes,
        isWritable[otherSide(side)] && WHOLE_LOSSES.some((loss) => (losses[side][loss] ?? 0) > 0),
      )}`,
  };
};

/** Halts a plan that destroys too much, or that is based on a side that returned no contacts. Both sides may be empty. Pure. */
export const checkGuard = (input: GuardInput): Halt | null => {
  const isSomewhere = SIDES.some((side) => input.present[side] + input.tooNew[side] > 0);
  const emptied = isSomewhere ? SIDES.find((side) => isEmptied(side, input)) : undefined;
  if (emptied !== undefined) return sideEmptied(emptied, input);
  return tooMany(input, 'left') ?? tooMany(input, 'right');
};

/** Returns the halt for a credential of another account than the one that the link was created with; no option overrides it. */
export const accountChanged = (side: Side, place: string, detail: string): Halt => ({
  reason: 'account-changed',
  side,
  message:
    `The account at ${place} is not the account that this link was created with (${detail}); nothing was written. ` +
    'Sign in with the first account, or configure a new link with its own DATA_DIR for the new account.',
});

/** Returns the halt of a link that connects an account with itself; no option overrides it. */
export const bothSidesOneAccount = (link: string, account: string): Halt => ({
  reason: 'same-accounts',
  side: null,
  message:
    `Both sides of the link ${link} are the same account or address book (${account}); nothing was written. ` +
    'Set another account or address book at one of its sides.',
});

/** Returns the halt of a link whose two accounts are already connected by another link; no option overrides it. */
export const sameAccounts = (link: string, other: string): Halt => ({
  reason: 'same-accounts',
  side: null,
  message:
    `The links ${link} and ${other} connect the same two accounts, and would create each contact twice; nothing was ` +
    'written. Keep one of them in the configuration, with a selection of contacts or buckets if needed. Then forget the ' +
    `one that is not there any more: contact-sync forget ${link}, or: contact-sync forget ${other}`,
});

/**
 * The halt of a first sync that waits for approval. It is constant, so that the approval stays valid if
 * contacts change in the meantime.
 */
export const FIRST_SYNC: Halt = {
  reason: 'first-sync',
  side: null,
  message:
    'The first sync waits until its plan is accepted (FIRST_SYNC); nothing was written. ' +
    `${REVIEW}\`contact-sync plan\`. To start it, run \`contact-sync sync --accept-first\`.`,
};

/** Returns whether the plan has an action that must be reviewed if it is that of a first sync. Pure. */
export const needsReview = (
  { firstSync }: Pick<Policy, 'firstSync'>,
  { decisions, groups }: Pick<Plan, 'decisions' | 'groups'>,
): boolean => firstSync === 'review' && (decisions.length > 0 || groups.actions.length > 0);
