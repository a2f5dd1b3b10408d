import type { App } from '../../app/app.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { bySide, otherSide, SIDES, type Sides } from '../../core/contact/side.ts';
import { count } from '../../core/view/words.ts';
import type { RunSummary } from '../../engine/run.ts';
import { systemClock, type Clock } from '../../util/clock.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { formatSummary, formatTrouble } from '../sync/summary.ts';
import { formatTable } from '../terminal/layout.ts';
import { startProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Book } from './book.ts';
import { describeChange, nameBefore } from './changes.ts';
import { compareBooks } from './compare.ts';
import { everydayEdits } from './edits.ts';

export type DemoClock = Clock & {
  /** Advances the clock. */
  advance(byMs: number): void;
};

/** The clock of the machine, which the demo advances between its scenes instead of waiting. */
export const createDemoClock = (): DemoClock => {
  let aheadMs = 0;
  return {
    now: () => systemClock.now() + aheadMs,
    monotonic: () => systemClock.monotonic() + aheadMs,
    sleep: (delayMs, signal) => systemClock.sleep(delayMs, signal),
    advance: (byMs) => {
      aheadMs += byMs;
    },
  };
};

/** The parts that the scenes use. */
type Stage = {
  readonly terminal: Terminal;
  readonly books: Sides<Book>;
  readonly clock: DemoClock;
  readonly app: App;
  readonly link: LinkConfig;
  readonly signal: AbortSignal;
};

/** Long enough for the change feeds to be complete. */
const BETWEEN_SYNCS_MS = 15 * 60_000;
const BETWEEN_EDITS_MS = 60_000;

const startScene = ({ terminal }: Stage, title: string): void => {
  terminal.print(`\n${terminal.style('bold', title)}`);
};

/** Runs one sync and prints its summary. Returns the number of writes, or null if it did not complete. */
const runOnce = async ({ app, link, signal, terminal }: Stage): Promise<number | null> => {
  const progress = startProgress(terminal, link.sides);
  let groupWrites = 0;
  const result = await app
    .run(link, {
      kind: 'incremental',
      acceptDeletes: false,
      signal,
      onEvent: (event) => {
        progress.show(event);
        if (event.kind === 'group' && event.reason === null && event.action !== 'duplicate') groupWrites += 1;
      },
    })
    .finally(progress.stop);
  terminal.print(formatSummary(result.summary, link.sides, terminal, { hasHints: false }));
  const trouble = formatTrouble(result, link.sides);
  if (trouble !== null) terminal.warn(trouble);
  return result.error === null ? countWrites(result.summary) + groupWrites : null;
};

const countWrites = ({ left, right }: RunSummary): number =>
  [left, right].reduce((sum, side) => sum + side.created + side.updated + side.deleted, 0);

/** The titles of the sides at the start of lines, padded to one width: `Google:  `. */
const headsOf = ({ link }: Stage) => {
  const width = Math.max(...SIDES.map((side) => link.sides[side].title.length)) + 2;
  return bySide((side) => `${link.sides[side].title}:`.padEnd(width));
};

const showBooks = (stage: Stage): void => {
  const heads = headsOf(stage);
  for (const side of SIDES) {
    const book = stage.books[side];
    const groups = count(book.groups().length, book.groupWords.one);
    stage.terminal.print(`${heads[side]}${count(book.contacts().length, 'contact')}, ${groups}`);
  }
};

const makeEdits = (stage: Stage): void => {
  const { terminal, books, clock } = stage;
  const heads = headsOf(stage);
  clock.advance(BETWEEN_SYNCS_MS);
  for (const { side, text, make } of everydayEdits(books)) {
    make();
    terminal.print(`  ${heads[side]}${text}`);
    clock.advance(BETWEEN_EDITS_MS);
  }
};

/** Prints the changes of the next sync and the winners of its conflicts. */
const showPlan = async ({ app, link, signal, terminal }: Stage): Promise<void> => {
  const { changes } = await app.plan(link, { kind: 'incremental', signal });
  const rows = changes.flatMap((change) => {
    const direction = `${link.sides[otherSide(change.side)].title} -> ${link.sides[change.side].title}`;
    return describeChange(change).map((what) => [direction, nameBefore(change), what]);
  });
  terminal.print(formatTable(rows, { indent: '  ' }));
};

/** Reads both sides without the program and prints the differences. Returns true if there are none. */
const check = ({ terminal, books, link }: Stage): boolean => {
  const places = bySide((side) => link.sides[side].place);
  const { contacts, groups, differences } = compareBooks(books, places);
  terminal.print(`${count(contacts, 'contact')} and ${count(groups, 'group')} compared on both sides.`);
  if (differences.length === 0) {
    terminal.print(terminal.style('green', 'No difference.'));
    return true;
  }
  terminal.print(terminal.style('red', `${count(differences.length, 'difference')}:`));
  for (const difference of differences) terminal.print(`  ${difference}`);
  return false;
};

/** Runs the demo from the first sync to the comparison. Returns 1 if a sync failed or the sides differ. */
export const playScenes = async (stage: Stage): Promise<ExitCode> => {
  const { terminal, clock } = stage;
  startScene(stage, 'Two address books that overlap in part');
  showBooks(stage);

  startScene(stage, 'The first sync pairs the contacts of the same people and fills in what is missing');
  if ((await runOnce(stage)) === null) return EXIT.failed;
  showBooks(stage);

  startScene(stage, 'Then people edit both');
  makeEdits(stage);

  startScene(stage, 'What the second sync carries');
  await showPlan(stage);
  terminal.print('');
  if ((await runOnce(stage)) === null) return EXIT.failed;

  startScene(stage, 'Are both sides the same?');
  const isSame = check(stage);

  startScene(stage, 'A third sync finds nothing to do');
  clock.advance(BETWEEN_SYNCS_MS);
  const writes = await runOnce(stage);
  if (writes !== null) terminal.print(count(writes, 'write'));
  return isSame && writes === 0 ? EXIT.done : EXIT.failed;
};
