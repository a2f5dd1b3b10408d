import { createRandom } from '../../../src/sandbox/people/random.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { readSides } from '../../support/compare-sides.ts';
import { accountsOf } from '../../support/jobs/daemon-world.ts';
import { FAST_SANDBOX } from '../../support/linked-sandbox.ts';
import { editOnce, faultsOf, makeBooks, type Ledger } from '../book.ts';
import { forward } from './forward.ts';

/** The names of the links. */
export const nameOf = (index: number): string => `link${index}`;

type Book = { readonly name: string; readonly sandbox: Sandbox; readonly ledger: Ledger };

/** A request of a host to one of a link's accounts. */
export type Request = { readonly link: string; readonly from: string; readonly atMs: number };

/** The accounts of all links, reached through forwarders that see who sends what. */
export type Books = {
  readonly requests: readonly Request[];
  /** The section `links` of the configuration. */
  sections(): Readonly<Record<string, unknown>>;
  /** Some person changes something in one of the accounts. */
  edit(options: { readonly deletes: boolean }): void;
  edits(): number;
  /** The problems of the accounts, one a line. */
  faults(): readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
};

/** The section of a link whose accounts are reached at this address. */
const sectionOf = ({ sandbox }: Book, address: string, syncInterval: string) => {
  const reached = Object.entries(sandbox.environment()).map(([name, value]) => [
    name,
    value.replace('127.0.0.1', address),
  ]);
  // The service's feed names no deletions: listings find them.
  return accountsOf({ environment: () => Object.fromEntries(reached) }, { syncInterval, sweepInterval: '120s' });
};

const faultsIn = ({ name, sandbox, ledger }: Book): readonly string[] => {
  const places = (['google', 'service'] as const).flatMap((side) => {
    const { duplicates, lost, back } = faultsOf(sandbox, ledger, side);
    return Object.entries({ twice: duplicates, lost, 'came back': back }).flatMap(([what, who]) =>
      who.map((one) => `${name}, ${side}: ${one} ${what}`),
    );
  });
  const { google, service } = readSides(sandbox);
  return JSON.stringify(google) === JSON.stringify(service) ? places : [...places, `${name}: the sides differ`];
};

export type BooksOptions = {
  readonly links: number;
  readonly people: number;
  readonly seed: number;
  readonly address: string;
  readonly delayMs: number;
  readonly syncInterval: string;
};

export const startBooks = async (options: BooksOptions): Promise<Books> => {
  const { links, people, seed, address, delayMs, syncInterval } = options;
  const random = createRandom(seed);
  const requests: Request[] = [];
  const books: Book[] = [];
  await using stack = new AsyncDisposableStack();
  for (let index = 0; index < links; index += 1) {
    const name = nameOf(index);
    const { ledger, ...filled } = makeBooks(random, people);
    const sandbox = stack.use(await startSandbox({ ...filled, ...FAST_SANDBOX }));
    const onSent = (from: string): void => void requests.push({ link: name, from, atMs: Date.now() });
    for (const { url } of [sandbox.google, sandbox.service]) {
      stack.use(await forward(address, Number(new URL(url).port), { delayMs, onSent }));
    }
    books.push({ name, sandbox, ledger });
  }
  const owned = stack.move();
  return {
    requests,
    sections: () => Object.fromEntries(books.map((book) => [book.name, sectionOf(book, address, syncInterval)])),
    edit: (how) => {
      const { sandbox, ledger } = random.pick(books);
      editOnce(sandbox, ledger, random, how);
    },
    edits: () => books.reduce((sum, { ledger }) => sum + ledger.edits, 0),
    faults: () => books.flatMap(faultsIn),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};
