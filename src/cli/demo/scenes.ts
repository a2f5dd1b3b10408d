import type { App } from '../../app/app.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { changeKindOf } from '../../core/view/views.ts';
import { count } from '../../core/view/words.ts';
import { peopleAt } from '../../sandbox/emulators.ts';
import { EMPTY_PERSON } from '../../sandbox/people/person.ts';
import { seedGoogle } from '../../sandbox/people/seed.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { formatSummary, formatTrouble } from '../sync/summary.ts';
import { formatChanges } from '../terminal/changes.ts';
import { layoutOf, type Terminal } from '../terminal/terminal.ts';

/** The parts that the scenes use. */
type Stage = {
  readonly terminal: Terminal;
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

const ADA = {
  ...EMPTY_PERSON,
  givenName: 'Ada',
  familyName: 'Lind',
  emails: [{ value: 'ada.lind@example.com', label: 'home' }],
  groups: ['Clients'],
};
const DELETED = 'Jürgen Groß';

/** The id of the sample contact of that name, or of the group. Throws if the sample data does not contain it. */
const idIn = <Item>(items: readonly Item[], isMeant: (item: Item) => boolean, idOf: (item: Item) => string): string => {
  const item = items.find(isMeant);
  if (item === undefined) throw new Error('The sample data of the demo has changed.');
  return idOf(item);
};

const personNamed = ({ google: { account } }: Sandbox, name: string): string =>
  idIn(
    account.people(),
    ({ names }) => `${names?.[0]?.givenName} ${names?.[0]?.familyName}` === name,
    ({ resourceName }) => resourceName ?? '',
  );

const contactNamed = ({ service: { account } }: Sandbox, name: string): string =>
  idIn(
    account.contacts(),
    ({ first_name: first, last_name: last }) => `${first} ${last}` === name,
    ({ id }) => id,
  );

const setTitleAtService = (sandbox: Sandbox, name: string, title: string): void =>
  void sandbox.service.account.updateContact(contactNamed(sandbox, name), { title });

/** The edits of the owner of both accounts between two syncs. */
const EDITS: readonly (readonly [text: string, make: (sandbox: Sandbox) => void])[] = [
  ['Google: Ada Lind is new, in Clients', ({ google }) => seedGoogle(google.account, [ADA])],
  [
    'Google: Priya Patel has another email address',
    (sandbox) =>
      sandbox.google.account.updatePerson(personNamed(sandbox, 'Priya Patel'), {
        emailAddresses: [{ value: 'priya@example.net' }],
      }),
  ],
  ['Service: Zoé Lefèvre has another title', (sandbox) => setTitleAtService(sandbox, 'Zoé Lefèvre', 'Associée')],
  [
    'Google: DeShawn Brooks becomes "CEO"',
    (sandbox) => {
      const id = personNamed(sandbox, 'DeShawn Brooks');
      const [job, ...others] = sandbox.google.account.person(id)?.organizations ?? [];
      sandbox.google.account.updatePerson(id, { organizations: [{ ...job, title: 'CEO' }, ...others] });
    },
  ],
  [
    'Service: DeShawn Brooks becomes "Chairman", a minute later: a conflict',
    (sandbox) => setTitleAtService(sandbox, 'DeShawn Brooks', 'Chairman'),
  ],
  [
    `Service: ${DELETED} is deleted`,
    (sandbox) => void sandbox.service.account.deleteContact(contactNamed(sandbox, DELETED)),
  ],
  [
    'Service: Leads is renamed to Prospects',
    ({ service: { account } }) => {
      const id = idIn(
        account.buckets(),
        ({ name }) => name === 'Leads',
        (bucket) => bucket.id,
      );
      account.updateBucket(id, { name: 'Prospects' });
    },
  ],
];

const startScene = ({ terminal }: Stage, title: string): void => terminal.print(`\n${terminal.style('bold', title)}`);

const showAccounts = ({ terminal, sandbox: { google, service } }: Stage): void => {
  const contentOf = (people: ReturnType<typeof peopleAt>, word: string): string => {
    const groups = new Set(people.flatMap((person) => person.groups)).size;
    return `${count(people.length, 'contact')}, ${count(groups, word, `${word}s`)}`;
  };
  terminal.print(`Google: ${contentOf(peopleAt({ provider: 'google', server: google }), 'label')}`);
  terminal.print(`Service: ${contentOf(peopleAt({ provider: 'service', server: service }), 'bucket')}`);
};

/** Prints the changes of the next sync. */
const showPlan = async ({ app, link, signal, terminal }: Stage): Promise<void> => {
  const { changes } = await app.plan(link, { kind: 'incremental', signal });
  const shown = [...Map.groupBy(changes, changeKindOf).values()].flatMap((kind) => kind.slice(0, CHANGES_SHOWN));
  terminal.print(formatChanges(shown, link.sides, { all: true }, layoutOf(terminal)).join('\n'));
  if (changes.length > shown.length) terminal.print(`... and ${changes.length - shown.length} more`);
};

/** Runs one sync and prints its summary. Returns the number of writes. Throws if it does not complete. */
const sync = async ({ app, link, signal, terminal, advance }: Stage): Promise<number> => {
  const result = await app.run(link, { kind: 'incremental', acceptDeletes: false, signal });
  terminal.print(formatSummary(result.summary, link.sides, terminal, { hasHints: false }));
  const trouble = formatTrouble(result, link.sides);
  if (trouble !== null) terminal.warn(trouble);
  if (result.error !== null) throw new Error('A sync of the demo failed.', { cause: result.error });
  advance(BETWEEN_SYNCS_MS);
  return (await app.store.journal(link.name, { run: result.summary.run })).length;
};

const makeEdits = ({ terminal, sandbox, advance }: Stage): void => {
  for (const [text, make] of EDITS) {
    make(sandbox);
    terminal.print(`  ${text}`);
    advance(BETWEEN_EDITS_MS);
  }
  advance(BETWEEN_SYNCS_MS);
};

/** Runs the demo from the first plan to the last sync. Returns 1 if the last sync writes something. */
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
  showAccounts(stage);
  startScene(stage, 'A last sync finds nothing to do');
  const writes = await sync(stage);
  stage.terminal.print(count(writes, 'write'));
  return writes === 0 ? EXIT.done : EXIT.failed;
};
