import type { Sides } from '../core/contact/side.ts';
import { directionsText } from '../core/reconcile/policy.ts';
import type { LinkState } from '../core/state/rows.ts';
import { forgetRefusals } from '../core/state/unread.ts';
import { patternsText, selectionOf, selectsEveryContact, type Selection } from '../core/reconcile/selection.ts';
import type { GroupNames } from '../core/reconcile/groups.ts';
import type { LinkContext, Session } from './session.ts';

type Stored = LinkState['selection'];

/**
 * Whether the contacts were last listed with the current patterns. Other patterns require a full run: not every feed reports
 * a change of membership, and marks that are in no pattern were not read.
 */
export const hasSamePatterns = (stored: Stored, { contacts }: LinkContext['policy']): boolean =>
  stored === null ? selectsEveryContact(contacts) : stored.patterns === patternsText(contacts);

/** Stores the patterns and directions with which both sides were listed. Refused writes may not be needed with other ones. */
export const storeListedTerms = async ({ directions, kind, policy, state, writer }: Session): Promise<void> => {
  if (kind !== 'full') return;
  const selection = { patterns: patternsText(policy.contacts), key: '' };
  const patch = {
    ...(!hasSamePatterns(state().selection, policy) && { selection }),
    ...(state().directions !== directions && { directions }),
  };
  if (Object.keys(patch).length === 0) return;
  await writer.apply({}, (set) => set.add({ kind: 'link', patch }, ...forgetRefusals(state().rejections)));
};

/** Makes the next plan apply the selection to everything: a write may have changed memberships. */
export const forgetSelection = async ({ state, writer }: Session): Promise<void> => {
  const { selection: stored } = state();
  if (stored === null || stored.key === '') return;
  const selection = { ...stored, key: '' };
  await writer.apply({}, (set) => set.add({ kind: 'link', patch: { selection } }));
};

/**
 * Returns whether a side may only be read in this run although the configuration writes it. Changes of the other side stay there: the
 * first plan that may write both sides again applies to everything.
 */
export const isNarrowed = ({ directions, policy }: Session): boolean => directions !== directionsText(policy);

/** Returns the current selection, and whether a plan must apply it to everything that is stored. */
export const currentSelection = (
  session: Session,
  names: Sides<GroupNames>,
): { readonly selection: Selection; readonly isNewSelection: boolean } => {
  const { kind, policy, state } = session;
  const selection = selectionOf(policy.contacts, names);
  const { selection: stored } = state();
  if (selection.isUnrestricted) return { selection, isNewSelection: stored !== null && !isNarrowed(session) };
  const isApplied = stored?.key === selection.key || (stored?.key === '' && isNarrowed(session));
  return { selection, isNewSelection: kind === 'full' || !isApplied };
};

/** Returns the part of a selection that is stored with a plan. If it is not `applied` to everything, the next plan does that. */
export const storedSelection = (
  { isUnrestricted, key }: Selection,
  { contacts }: LinkContext['policy'],
  applied: boolean,
): Stored => (isUnrestricted && applied ? null : { patterns: patternsText(contacts), key: applied ? key : '' });
