import type { App } from '../../app.ts';
import type { LinkConfig } from '../../config.ts';
import type { RunSummary } from '../../sync/run.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { startProgress } from '../progress.ts';
import { formatSummary, formatTrouble } from '../summary.ts';
import { formatTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { count, SIDE_TITLES } from '../words.ts';
import type { Books } from './book.ts';
import type { DemoClock } from './clock.ts';
import { compareBooks } from './compare.ts';
import { everydayEdits } from './edits.ts';
import { describeTravels } from './travels.ts';

/** Everything that the demo plays with. */
export type Stage = {
  readonly terminal: Terminal;
  readonly books: Books;
  readonly clock: DemoClock;
  readonly app: App;
  readonly link: LinkConfig;
  readonly signal: AbortSignal;
};

/** Long enough for the change feeds to have settled. */
const BETWEEN_SYNCS_MS = 15 * 60_000;
const BETWEEN_EDITS_MS = 60_000;

const tellScene = ({ terminal }: Stage, title: string): void => {
  terminal.print(`\n${terminal.style('bold', title)}`);
};

/** One sync with its summary; the number of writes, or null where it did not complete. */
const runOnce = async ({ app, link, signal, terminal }: Stage): Promise<number | null> => {
  const progress = startProgress(terminal);
  let groupWrites = 0;
  const result = await app
    .run(link, {
      kind: 'incremental',
      acceptDeletes: false,
      signal,
      onEvent: (event) => {
        progress.tell(event);
        if (event.kind === 'group' && event.reason === null && event.action !== 'duplicate') groupWrites += 1;
      },
    })
    .finally(progress.stop);
  terminal.print(formatSummary(result.summary, terminal));
  const trouble = formatTrouble(result);
  if (trouble !== null) terminal.warn(trouble);
  return result.error === null ? countWrites(result.summary) + groupWrites : null;
};

const countWrites = ({ google, service }: RunSummary): number =>
  [google, service].reduce((sum, side) => sum + side.created + side.updated + side.deleted, 0);

const tellBooks = ({ terminal, books }: Stage): void => {
  const { google, service } = books;
  terminal.print(`Google:  ${count(google.contacts().length, 'contact')}, ${count(google.groups().length, 'label')}`);
  terminal.print(
    `Service: ${count(service.contacts().length, 'contact')}, ${count(service.groups().length, 'bucket')}`,
  );
};

const makeEdits = ({ terminal, books, clock }: Stage): void => {
  clock.advance(BETWEEN_SYNCS_MS);
  for (const { told, make } of everydayEdits(books)) {
    make();
    terminal.print(`  ${told}`);
    clock.advance(BETWEEN_EDITS_MS);
  }
};

/** What the next sync will carry, and what became of the conflicts. */
const tellTravels = async ({ app, link, signal, terminal }: Stage): Promise<void> => {
  const { plan } = await app.plan(link, { kind: 'incremental', signal });
  const rows = describeTravels(plan).map(({ from, to, who, what }) => {
    return [`${SIDE_TITLES[from]} -> ${SIDE_TITLES[to]}`, who, what];
  });
  terminal.print(formatTable(rows, { indent: '  ' }));
};

/** Reads both sides back past the program; whether they hold the same. */
const check = ({ terminal, books }: Stage): boolean => {
  const { contacts, groups, differences } = compareBooks(books);
  terminal.print(`${count(contacts, 'contact')} and ${count(groups, 'group')} compared on both sides.`);
  if (differences.length === 0) {
    terminal.print(terminal.style('green', 'No difference.'));
    return true;
  }
  terminal.print(terminal.style('red', `${count(differences.length, 'difference')}:`));
  for (const difference of differences) terminal.print(`  ${difference}`);
  return false;
};

/** Plays the demo from the first sync to the check; 1 where something is not as it should be. */
export const tellStory = async (stage: Stage): Promise<ExitCode> => {
  const { terminal, clock } = stage;
  tellScene(stage, 'Two address books that overlap in part');
  tellBooks(stage);

  tellScene(stage, 'The first sync pairs who is who and fills in what is missing');
  if ((await runOnce(stage)) === null) return EXIT.failed;
  tellBooks(stage);

  tellScene(stage, 'Then people edit both');
  makeEdits(stage);

  tellScene(stage, 'What the second sync carries');
  await tellTravels(stage);
  terminal.print('');
  if ((await runOnce(stage)) === null) return EXIT.failed;

  tellScene(stage, 'Are both sides the same?');
  const isSame = check(stage);

  tellScene(stage, 'A third sync finds nothing to do');
  clock.advance(BETWEEN_SYNCS_MS);
  const writes = await runOnce(stage);
  if (writes !== null) terminal.print(count(writes, 'write'));
  return isSame && writes === 0 ? EXIT.done : EXIT.failed;
};
