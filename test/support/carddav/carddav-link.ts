import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { RunResult } from '../../../src/engine/run.ts';
import { ownerOf, type GroupKeeping } from '../contract/carddav-harness.ts';
import { createMovableClock } from '../clocks.ts';
import { readSides } from '../compare-sides.ts';
import { configureCarddav, FAST_SANDBOX } from '../linked-sandbox.ts';
import type { BookFolder } from './server.ts';
import { startTroubledProxy } from './troubled-proxy.ts';
import { createFolder } from '../folder.ts';

/** A contact in a form that both sides have in common. */
type CommonRow = {
  readonly name: string;
  readonly title: string;
  readonly emails: readonly string[];
  readonly groups: readonly string[];
};

/** The point at which a run dies: the number of a request to the CardDAV server, which arrives or not. */
type Kill = { readonly request: number; readonly arrives: boolean };

/** A link between an emulator and an address book of a real server, on a clock that hurries. */
export type CarddavLink = AsyncDisposable & {
  readonly sandbox: Sandbox;
  readonly owner: ReturnType<typeof ownerOf>;
  /** Runs once in a process of its own, which may be killed; null where it was. */
  run(kill?: Kill): Promise<RunResult | null>;
  /** Reverts what the last run wrote. */
  undo(): Promise<RunResult>;
  /** Requests to the CardDAV server so far. */
  arrived(): number;
  rows(): { readonly left: readonly CommonRow[]; readonly right: readonly CommonRow[] };
};

const inOrder = (rows: readonly CommonRow[]): readonly CommonRow[] =>
  rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

/** Starts the emulators and a proxy in front of the address book. */
export const startCarddavLink = async (
  left: 'google' | 'service',
  book: BookFolder,
  keeping: GroupKeeping,
): Promise<CarddavLink> => {
  await using stack = new AsyncDisposableStack();
  const clock = createMovableClock(1_000);
  const sandbox = stack.use(await startSandbox({ ...FAST_SANDBOX, google: [], service: [], clock }));
  const proxy = stack.use(await startTroubledProxy(book, clock));
  const { path: dataDir } = stack.use(await createFolder());
  const variables = {
    CARDDAV_URL: proxy.url,
    CARDDAV_USERNAME: book.username,
    CARDDAV_PASSWORD: book.password,
    CARDDAV_GROUPS: keeping === 'cards' ? 'cards' : 'auto',
    FIRST_SYNC: 'run',
    // The service names no deletions: each run lists it whole.
    ...(left === 'service' && { SWEEP_INTERVAL: '1s' }),
    DELETE_LIMIT: '100%',
  };
  const open = await configureCarddav({ sandbox, dataDir, clock }, variables, left);
  const owner = ownerOf(book, keeping);

  const undo = async (): Promise<RunResult> => {
    await using program = open();
    return (await program.undo(undefined, { accepts: { kind: 'losses' } })).result;
  };

  const run = async (kill?: Kill): Promise<RunResult | null> => {
    await using program = open();
    const controller = new AbortController();
    if (kill !== undefined) proxy.die(kill.request, kill.arrives, () => controller.abort(new Error('killed')));
    try {
      const result = await program.sync({ accepts: { kind: 'losses' }, signal: controller.signal });
      return controller.signal.aborted ? null : result;
    } catch (error) {
      if (!controller.signal.aborted) throw error;
      return null;
    } finally {
      proxy.revive();
    }
  };

  const owned = stack.move();
  return {
    sandbox,
    owner,
    run,
    undo,
    arrived: () => proxy.arrived(),
    rows: () => ({
      left: inOrder(
        readSides(sandbox)[left].map(({ name, title, emails, groups }) => ({ name, title, emails, groups })),
      ),
      right: inOrder(
        owner.ids().map((id) => {
          const card = owner.card(id);
          return {
            name: `${card?.firstName ?? ''} ${card?.lastName ?? ''}`.trim(),
            title: card?.title ?? '',
            emails: (card?.emails ?? []).map((email) => email.toLowerCase()).toSorted(),
            groups: owner
              .groupIdsOf(id)
              .map((groupId) => owner.groupNameOf(groupId))
              .toSorted(),
          };
        }),
      ),
    }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};
