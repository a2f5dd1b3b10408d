import { type Contact, listsIn, scalarsIn, textIn, withValue } from '../contact/contact.ts';
import { type KeyedList, keyListsIn, withKeyed } from '../contact/lists.ts';

type Keys = Pick<KeyedList, 'has' | 'keys' | 'size'>;

/** Returns whether the other contact's elements replaced the survivor's own; elements that its user added since are ignored. */
export const isReplaced = (own: Keys, after: Keys, mergedAway: Keys): boolean => {
  const isLost = (key: string): boolean => mergedAway.has(key) || !after.has(key);
  return [...mergedAway.keys()].every((key) => after.has(key)) && [...own.keys()].every(isLost);
};

/** Returns the survivor's fields as the merge left them: with the values that it took over from the other contact. */
export const shownBy = (before: Contact, after: Contact, mergedAway: Contact): Contact => {
  let shown = before;
  for (const field of scalarsIn(before, after, mergedAway)) {
    const now = textIn(after, field);
    if (now === textIn(mergedAway, field)) shown = withValue(shown, field, now);
  }
  for (const field of listsIn(before, after, mergedAway)) {
    const lists = keyListsIn(field, { own: before, now: after, other: mergedAway });
    const kept = [...lists.own].filter(([key]) => lists.now.has(key) || !isReplaced(lists.own, lists.now, lists.other));
    const gained = [...lists.now].filter(([key]) => !lists.own.has(key) && lists.other.has(key));
    shown = withKeyed(shown, field, [...kept, ...gained]);
  }
  return shown;
};
