import type { App } from '../../app/app.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { SIDES, type Sides } from '../../core/contact/side.ts';
import { count } from '../../core/view/words.ts';
import type { Person } from '../../sandbox/people/person.ts';
import { peopleAtGoogle, peopleAtService } from '../../sandbox/people/seed.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { formatSummary, formatTrouble } from '../sync/summary.ts';
import { formatChanges } from '../terminal/changes.ts';
import { layoutOf, type Terminal } from '../terminal/terminal.ts';
import { findDifferences } from './compare.ts';
import { DELETED, EDITS } from './edits.ts';

/** The parts that the scenes use. */
type Stage = {
  readonly terminal: Terminal;
  /** Google at the left, the service at the right. */
  readonly sandbox: Sandbox;
  readonly app: App;
  readonly link: LinkConfig;
  readonly signal: AbortSignal;
  /** Advances the clock of the program and of the accounts. */
  readonly advance: (byMs: number) => void;
};

/** Long enough for the change feeds to be complete. */
const BETWEEN_SYNCS_MS = 15 * 60_000;
const BETWEEN_EDITS_MS = 60_000;
/** The number of changes of each kind that are shown. */
const CHANGES_SHOWN = 4;

/** The people of both accounts, as their remotes have them. */
const peopleOf = ({ sandbox: { google, service } }: Stage): Sides<readonly Person[]> => ({
  left: peopleAtGoogle(google.account),
  right: peopleAtService(service.account),
});

const startScene = ({ terminal }: Stage, title: string): void => terminal.print(`\n${terminal.style('bold', title)}`);

const showAccounts = (stage: Stage): void => {
  const { terminal, link } = stage;
  const all = peopleOf(stage);
  for (const side of SIDES) {
    const people = all[side];
    const groups = new Set(people.flatMap((person) => person.groups)).size;
    const word = link.sides[side].provider === 'google' ? 'label' : 'bucket';
    terminal.print(`${link.sides[side].title}: ${count(people.length, 'contact')}, ${count(groups, word, `${word}s`)}`);
  }
};

/** Prints the changes of the next sync. */
const showPlan = async ({ app, link, signal, terminal }: Stage): Promise<void> => {
  const { changes } = await app.plan(link, { kind: 'incremental', signal });
  terminal.print(formatChanges(changes, link.sides, { sample: CHANGES_SHOWN }, layoutOf(terminal)).join('\n'));
};

/** Runs one sync and prints its summary. Returns the number of writes. Throws if it does not complete. */
const sync = async ({ app, link, signal, terminal, advance }: Stage): Promise<number> => {
  const result = await app.run(link, { kind: 'incremental', signal });
  terminal.print(formatSummary(result.summary, link.sides, terminal, { hasHints: false }));
  const trouble = formatTrouble(result, link.sides);
  if (trouble !== null) terminal.warn(trouble);
  if (result.error !== null) throw new Error('A sync of the demo failed.', { cause: result.error });
  advance(BETWEEN_SYNCS_MS);
  return (await app.store.journal(link.name, { run: result.summary.run })).length;
};

const makeEdits = ({ terminal, sandbox, link, advance }: Stage): void => {
  for (const { side, text, make } of EDITS) {
    make(sandbox);
    terminal.print(`  ${link.sides[side].title}: ${text}`);
    advance(BETWEEN_EDITS_MS);
  }
  advance(BETWEEN_SYNCS_MS);
};

/** Undoes the write by which the last run deleted a contact. */
const undoDeletion = async ({ app, link, signal, terminal, advance }: Stage): Promise<void> => {
  const [run] = await app.store.runs(link.name, { latest: 'writing' });
  const writes = run === undefined ? [] : await app.store.journal(link.name, { run: run.id });
  const deletion = writes.find(({ kind }) => kind === 'delete');
  if (run === undefined || deletion === undefined) throw new Error('The last run of the demo deleted no contact.');
  const options = { signal, write: deletion.id };
  const { report, result } = await app.undo(link, run, options);
  if (result.error !== null) throw new Error('The undo of the demo failed.', { cause: result.error });
  terminal.print(formatChanges(report.actions, link.sides, { all: true }, layoutOf(terminal)).join('\n'));
  advance(BETWEEN_SYNCS_MS);
};

/** Reads both sides without the program and prints the differences. Returns true if there are none. */
const compare = (stage: Stage): boolean => {
  const { terminal, link } = stage;
  const people = peopleOf(stage);
  const differences = findDifferences(people);
  terminal.print(`${count(people.left.length, 'contact')} compared on both sides.`);
  for (const side of SIDES) {
    for (const values of differences[side]) terminal.print(`  only at ${link.sides[side].place}: ${values}`);
  }
  const isSame = SIDES.every((side) => differences[side].length === 0);
  if (isSame) terminal.print(terminal.style('green', 'No difference.'));
  return isSame;
};

/** Runs the demo from the first plan to the comparison. Returns 1 if the sides differ or the last sync writes something. */
export const playScenes = async (stage: Stage): Promise<ExitCode> => {
  startScene(stage, 'Two address books with partly the same people');
  showAccounts(stage);
  startScene(stage, 'The plan of the first sync: pair the same people and add what is missing');
  await showPlan(stage);
  startScene(stage, 'The first sync');
  await sync(stage);
  showAccounts(stage);
  startScene(stage, 'Then their owner edits both');
  makeEdits(stage);
  startScene(stage, 'The plan of the second sync');
  await showPlan(stage);
  startScene(stage, 'The second sync');
  await sync(stage);
  startScene(stage, 'Are both sides the same?');
  const isSame = compare(stage);
  startScene(stage, `The deletion of ${DELETED} is undone where the program deleted the contact`);
  await undoDeletion(stage);
  startScene(stage, 'A last sync finds nothing to do: an undo is not copied to the other side');
  const writes = await sync(stage);
  stage.terminal.print(count(writes, 'write'));
  return isSame && writes === 0 ? EXIT.done : EXIT.failed;
};
