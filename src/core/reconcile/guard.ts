import { inFieldOrder, specOf, type SyncedField } from '../contact/contact.ts';
import { FIELDS } from '../contact/fields.ts';
import { SIDES, type Side, type Sides } from '../contact/side.ts';
import type { Loss, Losses } from './losses.ts';
import type { Plan } from './plan.ts';
import type { DeleteLimit, Policy } from './policy.ts';

/** Why a run stops before it writes anything (R8). */
export type Halt =
  | {
      readonly reason: 'too-many-deletes' | 'side-emptied' | 'account-changed';
      readonly side: Side;
      readonly message: string;
    }
  | { readonly reason: 'first-sync' | 'same-accounts'; readonly side: null; readonly message: string };

/** The contacts that exist on each side, compared with those that are linked. */
export type Presence = {
  /** Contacts linked with each other. */
  readonly pairs: number;
  /** Pairs whose contacts are set apart: they are expected too. */
  readonly asleep: number;
  /**
   * Contacts that each side is known to hold now. Of a run that destroys something only those of pairs, with those that were
   * deleted and added again.
   */
  readonly present: Sides<number>;
  /** Further contacts on each side, which belong to no pair; left out where they were not counted. */
  readonly others?: Sides<number>;
  /** Linked contacts that are missing but came or were changed too recently for that to count (R7). */
  readonly unsettled: Sides<number>;
};

export type GuardInput = Presence & {
  readonly limit: DeleteLimit;
  /** What the plan would destroy on each side. */
  readonly losses: Sides<Losses>;
  /** What this link destroyed there in the last 24 hours, since deletions were last accepted. */
  readonly recent: Sides<Losses>;
  readonly acceptDeletes: boolean;
  /** The run that is reverted, where the plan is that of an undo. */
  readonly undoes?: string | null;
  /** How the sides are called within a sentence. */
  readonly places: Sides<string>;
};

/** The count of a limit; of a small book no more than half may go, but always one. */
const allowedCount = (count: number | null, pairs: number): number => {
  return Math.min(count ?? 0, Math.max(1, Math.floor(pairs / 2)));
};

/** How many contacts may be deleted on one side within a day; exactly that many still pass. */
export const allowedDeletes = (limit: DeleteLimit, pairs: number): number => {
  const share = limit.percent === null ? 0 : Math.floor((pairs * limit.percent) / 100);
  return Math.max(allowedCount(limit.count, pairs), share);
};

const override = (undoes: string | null): string => {
  const [look, run] = undoes === null ? ['plan', 'sync'] : [`undo ${undoes} --dry-run`, `undo ${undoes}`];
  return `Review: \`contact-sync ${look}\`. To allow this once, run \`contact-sync ${run} --accept-deletes\`.`;
};

const otherWords = (count: number): string => {
  if (count === 0) return '';
  return count === 1 ? ' and 1 other contact is there' : ` and ${count} other contacts are there`;
};

/** The halt for a side on which no linked contact exists any more. */
const sideEmptied = (side: Side, { others, places, undoes = null, ...presence }: GuardInput): Halt => ({
  reason: 'side-emptied',
  side,
  message:
    `All ${expected(side, presence)} linked contacts are missing at ${places[side]}${otherWords(others?.[side] ?? 0)}; ` +
    `nothing was written. ${override(undoes)}`,
});

/** How many linked contacts may be missed on a side: those that came or were changed a moment ago may not (R7). */
const expected = (side: Side, { pairs, asleep, unsettled }: Presence): number => pairs + asleep - unsettled[side];

/** Whether a side shows nothing although two linked contacts or more are to be there. */
export const isEmptied = (side: Side, presence: Presence): boolean => {
  return presence.present[side] === 0 && expected(side, presence) >= 2;
};

const lossWords = (loss: Loss, count: number): string => {
  switch (loss) {
    case 'contacts':
      return `delete ${count} contacts`;
    case 'members':
      return `delete groups with ${count} members`;
    case 'setApart':
      return `set apart ${count} linked contacts that no side selects any longer`;
    default:
      return `empty the ${loss === 'buckets' ? FIELDS.buckets.words : specOf(loss).words} of ${count} contacts`;
  }
};

/** What is lost apart from fields. */
const WHOLE_LOSSES = ['contacts', 'members', 'setApart'] as const;

const isField = (loss: Loss): loss is SyncedField => !WHOLE_LOSSES.some((whole) => whole === loss);

/** Everything that is lost, in the order in which it is told. */
const kindsOf = (losses: Losses): readonly Loss[] => {
  const kinds = Object.keys(losses) as Loss[];
  return [...WHOLE_LOSSES, ...inFieldOrder(kinds.filter(isField))];
};

/** The deletions of the day belong to the book that the limit is a share of. */
const bookOf = ({ pairs, recent }: GuardInput): number => {
  return SIDES.reduce((sum, side) => sum + (recent[side].contacts ?? 0), pairs);
};

/** More than all there is may be lost within a day: a field that is filled again can be emptied again. */
const isUnlimited = ({ percent }: DeleteLimit): boolean => percent !== null && percent >= 100;

const tooMany = (input: GuardInput, side: Side): Halt | null => {
  const { limit, losses, recent, places, undoes } = input;
  if (isUnlimited(limit)) return null;
  const book = bookOf(input);
  const allowed = allowedDeletes(limit, book);
  const parts = kindsOf(losses[side]).flatMap((loss) => {
    const [now, before] = [losses[side][loss] ?? 0, recent[side][loss] ?? 0];
    if (now === 0 || now + before <= allowed) return [];
    const earlier = before === 0 ? '' : ` (after ${before} in the last 24 hours)`;
    // Set apart are both halves of a pair.
    const place = loss === 'setApart' ? '' : ` at ${places[side]}`;
    return [`${lossWords(loss, now)}${place}${earlier}`];
  });
  if (parts.length === 0) return null;
  return {
    reason: 'too-many-deletes',
    side,
    message:
      `The run would ${parts.join(' and ')}, more than the ${allowed} that DELETE_LIMIT allows for ${book} linked ` +
      `contacts; nothing was written. ${override(undoes ?? null)}`,
  };
};

/** Halts a plan that destroys too much, or that follows from a side that came back empty. Both sides empty is fine. Pure. */
export const checkGuard = (input: GuardInput): Halt | null => {
  if (input.acceptDeletes) return null;
  const isSomewhere = SIDES.some((side) => input.present[side] + input.unsettled[side] > 0);
  const emptied = isSomewhere ? SIDES.find((side) => isEmptied(side, input)) : undefined;
  if (emptied !== undefined) return sideEmptied(emptied, input);
  return tooMany(input, 'left') ?? tooMany(input, 'right');
};

/** The halt for a credential that opens another account than the link was made with; no option passes it. */
export const accountChanged = (side: Side, place: string, detail: string): Halt => ({
  reason: 'account-changed',
  side,
  message:
    `The account at ${place} is not the account that this link was created with (${detail}); nothing was written. ` +
    'Sign in with the first account, or configure a new link with its own DATA_DIR for the new account.',
});

/** The halt of a link whose two accounts another link connects already; no option passes it. */
export const sameAccounts = (link: string, other: string): Halt => ({
  reason: 'same-accounts',
  side: null,
  message:
    `The links ${link} and ${other} connect the same two accounts, and would create each contact twice; nothing was ` +
    `written. Keep one of them, with a selection of contacts or buckets if needed. Then run: contact-sync forget link ${link}`,
});

/** The halt of a first sync that waits for a person; always the same, so that it is accepted whatever came meanwhile. */
export const FIRST_SYNC: Halt = {
  reason: 'first-sync',
  side: null,
  message:
    'The first sync waits until its plan is accepted (FIRST_SYNC); nothing was written. ' +
    'Review: `contact-sync plan`. To start it, run `contact-sync sync --accept-first`.',
};

/** Halts a plan that would do anything where no two contacts are linked yet, and the policy wants that reviewed. Pure. */
export const checkFirstSync = (
  { firstSync }: Pick<Policy, 'firstSync'>,
  { pairs }: Pick<Presence, 'pairs'>,
  { decisions, groups }: Pick<Plan, 'decisions' | 'groups'>,
): Halt | null => {
  const isFirst = pairs === 0 && (decisions.length > 0 || groups.actions.length > 0);
  return firstSync === 'review' && isFirst ? FIRST_SYNC : null;
};
