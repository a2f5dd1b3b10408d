import { expect, test } from 'vitest';
import { SIDES } from '../../src/core/contact/side.ts';
import { PLAIN_HABITS } from '../support/memory/book.ts';
import type { Edit, RunStep } from './history.ts';
import { runHistory } from './run-history.ts';
import { history, run } from './scenario.ts';
import { liveRows } from './world.ts';

// Histories that once went wrong, cut down to what matters: a link that chooses other fields.

const PEOPLE: readonly Edit[] = SIDES.flatMap((side) =>
  [1, 2, 3].map(() => ({ kind: 'create', side, rich: false }) as const),
);

test.each([5, 6, 7, 8, 9, 10, 11, 12])(
  'pages that were listed for other fields are listed again, cut off at step %d [R14]',
  async (step) => {
    const players = { left: 'google', right: 'google' } as const;
    const phases = [
      [
        run({
          before: [{ kind: 'choose', choice: 2 }, { kind: 'twin', differs: false }, ...PEOPLE],
        }),
        run({ before: [0, 1, 2, 3, 4].map((who) => ({ kind: 'set', side: 'right', who, field: 'title' })) }),
      ],
      [
        run({ before: [{ kind: 'create', side: 'left', rich: true }], full: true, crash: { step, when: 'after' } }),
        run({ before: [{ kind: 'choose', choice: 3 }] }),
      ],
    ];
    await expect(runHistory(history(phases, { players }))).resolves.toBeDefined();
  },
);

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
  'a choice that is taken back after its run ended at step %d leaves no value on one side only (seed 973471) [R13, R14]',
  async (step) => {
    const title = { side: 'left', who: 0, field: 'title' } as const;
    const phases = [
      [
        run({
          before: [
            { kind: 'create', side: 'left', rich: false },
            { kind: 'set', ...title },
          ],
        }),
      ],
      [
        run({
          before: [
            { kind: 'clear', ...title },
            { kind: 'choose', choice: 2 },
          ],
          crash: { step, when: 'after' },
        }),
        run({ before: [{ kind: 'choose', choice: 0 }] }),
      ],
    ];
    await expect(runHistory(history(phases))).resolves.toBeDefined();
  },
);

test('nobody is asked about a field that the link syncs no more (seed 7842) [R4]', async () => {
  const set = (side: 'left' | 'right'): Edit => ({ kind: 'set', side, who: 0, field: 'title' });
  const phases = [
    [run({ before: [{ kind: 'create', side: 'left', rich: false }] })],
    [run({ before: [set('left'), set('right')] })],
    [
      run({ before: [{ kind: 'choose', choice: 2 }] }),
      run({ before: [{ kind: 'clear', side: 'left', who: 0, field: 'title' }] }),
    ],
  ];
  const { conflicts } = await runHistory(history(phases, { conflictsByField: { title: 'ask' } }));
  expect(conflicts.map(({ field, resolvedAtMs }) => [field, resolvedAtMs === null])).toEqual([['title', false]]);
});

test('[R9] what was computed is shown after all where a user wrote over its place before a lost write (seed 4011178)', async () => {
  const person: Edit = { kind: 'create', side: 'right', rich: false };
  const clash = { kind: 'clash', who: 0, same: 'lastName', side: 'right' } as const;
  const before: readonly Edit[] = [{ ...clash, gone: 'phoneNumbers', added: 'emailAddresses' }];
  const lost = { op: 'update', side: 'left', fault: 'lost-after', after: [] } as const;
  const another = { who: 0, what: 'another', isStamped: true } as const;
  const computing = [[another], [{ who: 0, what: 'scribble', isStamped: true }, another]] as const;
  const hardness = { direction: 'both', listingLagMs: 0, feedLagMs: 120_000, habits: PLAIN_HABITS } as const;
  const phases = [[run({ before: [person] })], [run({ before, gapMs: 60_000, aims: [lost] })]];
  await expect(runHistory(history(phases, { shows: true, computing, hardness }))).resolves.toBeDefined();
});

const JOINS: Edit = { kind: 'choose', choice: 0 };
const ARCHIVE: Edit = { kind: 'archive', who: 0 };

test.each<[string, readonly RunStep[]]>([
  ['in the run that writes it', [run({ before: [JOINS, ARCHIVE] })]],
  ['right after that run', [run({ before: [JOINS] }), run({ before: [ARCHIVE] })]],
  ['some runs later', [run({ before: [JOINS] }), run(), run(), run({ before: [ARCHIVE] })]],
  [
    'while the answer to the write is lost',
    [run({ before: [JOINS], aims: [{ op: 'update', side: 'right', fault: 'lost-after', after: [ARCHIVE] }] })],
  ],
])('[R6] a contact that was given a field which joins stays deleted, archived %s (seed 7779576)', async (_, steps) => {
  const before: readonly Edit[] = [
    { kind: 'choose', choice: 2 },
    { kind: 'create', side: 'left', rich: true },
  ];
  const { world } = await runHistory(history([[run({ before })], steps]));
  expect(SIDES.flatMap((side) => liveRows(world.books[side]))).toEqual([]);
});

test('[R6] an edit that was brought beside a field which joins brings an archived contact back', async () => {
  const before: readonly Edit[] = [
    { kind: 'choose', choice: 2 },
    { kind: 'create', side: 'left', rich: true },
  ];
  const steps = [run({ before: [JOINS, ARCHIVE, { kind: 'edit-other', field: 'firstName' }] })];
  const { world } = await runHistory(history([[run({ before })], steps]));
  expect(SIDES.map((side) => liveRows(world.books[side]).length)).toEqual([1, 1]);
});

test('tags that differ in their signs alone are kept apart at both sides [R5]', async () => {
  const players = { left: 'google', right: 'service' } as const;
  const add = (side: 'left' | 'right', who: number): Edit => ({ kind: 'add', side, who, field: 'tags' });
  const phases = [
    [run({ before: [{ kind: 'choose', choice: 1 }, { kind: 'twin', differs: false }, ...PEOPLE] })],
    [run({ before: [0, 1, 2].flatMap((who) => [add('right', who), add('left', who)]) })],
    [run({ before: [0, 1, 2].flatMap((who) => [add('left', who), add('right', who + 1)]) })],
  ];
  await expect(runHistory(history(phases, { players }))).resolves.toBeDefined();
});
