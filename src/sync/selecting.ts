import { patternsText, selectionOf, selectsEverybody, type Selection } from '../reconcile/selection.ts';
import type { GroupNames } from '../reconcile/groups.ts';
import type { GroupLink } from '../reconcile/membership.ts';
import type { LinkState } from '../store/store.ts';
import type { LinkContext, Session } from './context.ts';

type Stored = LinkState['selection'];

/**
 * Whether the contacts were last listed with the patterns of now. Others look at everything afresh: a membership may have
 * changed where no feed says so, and a mark may have been of no interest when a contact was read.
 */
export const hasSamePatterns = (stored: Stored, { contacts }: LinkContext['policy']): boolean =>
  stored === null ? selectsEverybody(contacts) : stored.patterns === patternsText(contacts);

/** Notes with which patterns both sides were listed. */
export const notePatterns = async ({ kind, link, policy, store, writer }: Session): Promise<void> => {
  const { selection: stored } = await store.link(link);
  if (kind !== 'full' || hasSamePatterns(stored, policy)) return;
  const selection = { patterns: patternsText(policy.contacts), key: '' };
  await writer.apply({}, (set) => set.add({ kind: 'link', patch: { selection } }));
};

/** Lets the next plan hold everything against the selection: who knows what was just written to whom. */
export const forgetSelection = async ({ link, store, writer }: Session): Promise<void> => {
  const { selection: stored } = await store.link(link);
  if (stored === null || stored.key === '') return;
  const selection = { ...stored, key: '' };
  await writer.apply({}, (set) => set.add({ kind: 'link', patch: { selection } }));
};

/** Which contacts the sides select now, and whether what is stored was held against another selection. */
export const selectionNow = async (
  { kind, link, policy, store }: Session,
  groups: { readonly names: GroupNames; readonly links: readonly GroupLink[] },
): Promise<{ readonly selection: Selection; readonly isNewSelection: boolean }> => {
  const selection = selectionOf(policy.contacts, groups);
  const { selection: stored } = await store.link(link);
  if (selection.isEverybody) return { selection, isNewSelection: stored !== null };
  return { selection, isNewSelection: kind === 'full' || stored?.key !== selection.key };
};

/** What is stored of a selection once everything is held against it. */
export const storedSelection = ({ isEverybody, key }: Selection, { contacts }: LinkContext['policy']): Stored =>
  isEverybody ? null : { patterns: patternsText(contacts), key };
