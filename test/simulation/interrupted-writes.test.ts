import { describe, expect, test } from 'vitest';
import { otherSide, type Side, SIDES } from '../../src/core/contact/side.ts';
import { extentOf } from '../support/extent.ts';
import type { Aimed, WriteOp } from '../support/memory/process.ts';
import type { Edit } from './history.ts';
import { runHistory } from './run-history.ts';
import {
  add,
  addSharedGroup,
  archive,
  changeId,
  clear,
  create,
  createRich,
  drop,
  hardness,
  history,
  join,
  leave,
  merge,
  PAIRS,
  remove,
  run,
  set,
  twin,
} from './scenario.ts';

// Each kind of write, with each fault, followed by each kind of edit. The simulation checks every rule after each run.

/** One of this many histories is played. */
const EACH = extentOf({ all: 11, sample: 101 });

const FAULTS = ['lost-after', 'lost-before', 'kill', 'limited', 'invalid', 'stale'] as const satisfies readonly Aimed[];

const FIRST = { who: 0, group: 0 };
const OTHER = { who: 0, group: 1 };

/** Two people and two groups on both sides. The first person has a title, two email addresses and a group. */
const BOOKS: readonly Edit[] = [
  addSharedGroup('left'),
  addSharedGroup('left'),
  twin(),
  createRich('right'),
  set('left', 0, 'title'),
  add('left', 0, 'emailAddresses'),
  join('left', FIRST),
];

type Write = { readonly op: WriteOp; readonly edits: (from: Side) => readonly Edit[] };

/** Edits of the first contact on one side, and the kind of write to the other side that follows from them. */
const WRITES: Readonly<Record<string, Write>> = {
  'a create': { op: 'create', edits: (from) => [createRich(from), join(from, { who: 2, group: 0 })] },
  'an update of texts': { op: 'update', edits: (from) => [set(from, 0, 'title'), set(from, 0, 'company')] },
  'an update that clears a text': {
    op: 'update',
    edits: (from) => [clear(from, 0, 'title'), set(from, 0, 'lastName')],
  },
  'an update of a list': {
    op: 'update',
    edits: (from) => [add(from, 0, 'emailAddresses'), drop(from, 0, 'emailAddresses'), set(from, 0, 'firstName')],
  },
  'an update of a field that both sides changed': {
    op: 'update',
    edits: (from) => [set(otherSide(from), 0, 'title'), set(from, 0, 'title'), add(otherSide(from), 0, 'phoneNumbers')],
  },
  'a change of memberships': { op: 'changeMembership', edits: (from) => [leave(from, FIRST), join(from, OTHER)] },
  'a delete': { op: 'delete', edits: (from) => [remove(from)] },
  'a create of a restored contact': {
    op: 'create',
    edits: (from) => [remove(otherSide(from)), set(from, 0, 'lastName')],
  },
};

type Later = (from: Side, to: Side) => readonly Edit[];

const LATER: Readonly<Record<string, Later>> = {
  'no edit': () => [],
  'an edit of a written text': (_, to) => [set(to, 0, 'title')],
  'an edit of another text': (_, to) => [set(to, 0, 'notes'), set(to, 1, 'company')],
  'an edit of the source': (from) => [set(from, 0, 'title'), add(from, 0, 'emailAddresses')],
  'a cleared text': (_, to) => [clear(to, 0, 'title')],
  'a text that both sides agree on': () => [{ kind: 'agree', who: 0, field: 'title' }],
  'added and removed elements': (_, to) => [add(to, 0, 'emailAddresses'), drop(to, 0, 'emailAddresses')],
  'other memberships of the target': (_, to) => [leave(to, FIRST), join(to, OTHER)],
  'other memberships of the source': (from) => [join(from, FIRST), leave(from, OTHER)],
  'a deletion of the target': (_, to) => [remove(to)],
  'a deletion of the source': (from) => [remove(from)],
  'a deletion on both sides': () => SIDES.map((side) => remove(side)),
  'a new id': () => [changeId()],
  'an archived contact': () => [archive()],
  'a merge at the target': (_, to) => [merge(to, { who: 0, into: 1 })],
  'a merge at the source': (from) => [merge(from, { who: 1, into: 0 })],
  'a new contact': (from) => [create(from)],
  'a selection of further fields': () => [{ kind: 'choose', choice: 1 }],
};

const CASES = PAIRS.flatMap((players) =>
  FAULTS.flatMap((fault) =>
    SIDES.flatMap((from) =>
      Object.entries(LATER).flatMap(([later, edit]) =>
        [true, false].map((isAtOnce) => ({ ...players, fault, from, later, edit, isAtOnce })),
      ),
    ),
  ),
);

describe.each(Object.entries(WRITES))('R9: %s without a usable answer', (name, { op, edits }) => {
  const first = Object.keys(WRITES).indexOf(name);
  test.each(CASES.filter((_, index) => index % EACH === (first * 5) % EACH))(
    'is neither lost nor made twice, and reverts no edit ($left, $right: $fault from $from, then $later, at once: $isAtOnce)',
    async ({ left, right, fault, from, edit, isAtOnce }) => {
      const to = otherSide(from);
      const after = edit(from, to);
      const written = run({ before: edits(from), aims: [{ op, side: to, fault, after: isAtOnce ? after : [] }] });
      const steps = isAtOnce ? [written] : [written, run({ before: after })];
      const phases = [[run({ before: BOOKS })], steps];
      const given = { players: { left, right }, hardness: hardness() };
      await expect(runHistory(history(phases, given))).resolves.toBeDefined();
    },
  );
});
