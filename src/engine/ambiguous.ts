import type { Sides, SideWords } from '../core/contact/side.ts';
import type { Ambiguity } from '../core/reconcile/match.ts';

/** Why contacts that may be one person are left unpaired. */
export const AMBIGUITIES: Readonly<Record<Ambiguity, string>> = {
  'names differ': 'They have one email address, but not the name of one person.',
  'several candidates': 'Several contacts fit equally well.',
  'same phone number': 'They have one phone number and similar names.',
  'same name': 'They have one name or forms of one name, and nothing else in common.',
};

const REMEDIES_BEFORE: Readonly<Record<Ambiguity, string>> = {
  'names differ': 'give both the same name before the sync',
  'several candidates': 'give the two that belong together the same name and email address before the sync',
  'same phone number': 'give both the same name before the sync',
  'same name': 'give both the same email address before the sync',
};

const mergeRemedy = ({ left, right }: Sides<SideWords>): string =>
  `merge them at ${left.place} or at ${right.place}: the other side follows.`;

/** How to join contacts that a run left unpaired (R13). Each exists on both sides after the run. */
export const completedRemedy = (why: Ambiguity, sides: Sides<SideWords>): string =>
  `${AMBIGUITIES[why]} Each stays a contact of its own. Where two of them are one person, ${mergeRemedy(sides)}`;

/** How to join contacts that a plan leaves unpaired, or how to keep them apart (R13). */
export const plannedRemedy = (why: Ambiguity, sides: Sides<SideWords>): string =>
  `${AMBIGUITIES[why]} Where two of them are one person, say so by the command below them before the sync, or ${REMEDIES_BEFORE[why]}; or afterwards ${mergeRemedy(sides)} Two that are not are kept apart by the same command with --apart.`;
