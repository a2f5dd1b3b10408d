import { isoOf } from '../util/clock.ts';
import type { Sides, SideWords } from '../core/contact/side.ts';
import type { Change, FieldChange, Write } from '../core/view/views.ts';
import { whyWords } from '../core/view/why-words.ts';

/** What becomes of a field, for scripts: several values as one text, and the reason in words. */
const fieldChangeToJson = ({ field, from, to, why }: FieldChange, sides: Sides<SideWords>) => ({
  field,
  from: from.join('; '),
  to: to.join('; '),
  why: whyWords(why, sides),
});

/** A change for scripts; the caller puts it in the words of the link. */
export const changeToJson = (change: Change, sides: Sides<SideWords>) => {
  const { side, action, name } = change;
  const ids = 'leftId' in change ? { leftId: change.leftId, rightId: change.rightId, fields: change.fields } : {};
  const changes = change.changes.map((each) => fieldChangeToJson(each, sides));
  return { side, action, ...ids, name, changes, why: whyWords(change.why, sides) };
};

/** A write of the journal for scripts; the caller puts it in the words of the link. */
export const writeToJson = (write: Write, sides: Sides<SideWords>) => {
  const { atMs, run, kind, id, state, error } = write;
  return { at: isoOf(atMs), run, write: write.write, kind, id, state, error, ...changeToJson(write, sides) };
};
