import type { Clock } from '../clock.ts';
import type { ChosenFields } from '../contact/chosen.ts';
import type { Side, Sides, SideWords } from '../contact/side.ts';
import { FIRST_SYNC, type Halt } from '../reconcile/guard.ts';
import type { Policy } from '../reconcile/policy.ts';
import { ClientRefusedError, DisabledError, type CredentialError } from '../providers/errors.ts';
import type { Remote } from '../providers/remote.ts';
import type { RunKind, Store, WriteKind } from '../store/store.ts';
import type { LeaseChecks, LeaseHolders } from './lease.ts';
import type { LinkWriter } from './link-writer.ts';
import type { RunEvent } from './run-event.ts';

/** Everything a run over one link works with. */
export type LinkContext = {
  readonly link: string;
  /** How each side is called. */
  readonly sides: Sides<SideWords>;
  readonly policy: Policy;
  /** What the link syncs of contacts; its remotes were opened for the same. */
  readonly fields: ChosenFields;
  readonly sweepIntervalMs: number;
  /** How long what runs wrote is kept; null: for ever. */
  readonly retentionMs: number | null;
  /** How long to wait before each look for what a create without an answer may have made (R9). */
  readonly looksAfterMs: readonly number[];
  /** How many contacts of a first sync are planned at a time (`parts.ts`). Default: 1,500. */
  readonly partSize?: number;
  readonly remotes: Readonly<Record<Side, Remote>>;
  /** Which provider plays each side, and at which address it is reached: whose ids a side's ids are. */
  readonly endpoints: Sides<string>;
  /** A one-way digest of each side's credential: a new one has its account checked. */
  readonly credentials: Readonly<Record<Side, string>>;
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly holders?: LeaseHolders;
  readonly leaseChecks?: LeaseChecks;
};

export type RunOptions = {
  readonly kind: RunKind;
  readonly acceptDeletes: boolean;
  /** With `acceptDeletes`: the message of the one halt that passes; any halt where left out. */
  readonly acceptedHalt?: string;
  /** Ends the run at once, with requests under way. */
  readonly signal: AbortSignal;
  /** Ends the run before its next page or write; what is under way is finished. */
  readonly stop?: AbortSignal;
  /** Called under the lease before the run begins; what it throws keeps the run from beginning. */
  readonly onLease?: () => Promise<void>;
  /** Called for everything that the run, known by its id, reports while it works. */
  readonly onEvent: (event: RunEvent, run: string) => void;
};

/** What one run carries from step to step. */
export type Session = LinkContext & {
  readonly run: string;
  readonly startedAtMs: number;
  readonly kind: RunKind;
  readonly acceptDeletes: boolean;
  readonly acceptedHalt?: string;
  readonly signal: AbortSignal;
  readonly stop?: AbortSignal;
  /** The run that this one reverts; null for an ordinary run. */
  readonly undoes: string | null;
  readonly emit: (event: RunEvent) => void;
  /** Changes what is stored of the link, under the run's lease. */
  readonly writer: LinkWriter;
  readonly tally: Tally;
  /** The sides that have said in this run whose account they are. */
  readonly identified: Set<Side>;
};

const DAY_MS = 86_400_000;

/**
 * Returns the time from which what runs wrote is kept: everything that ended before may be pruned. Never less than a day, which
 * the guard counts (R8); null where all of it is kept. Times are epoch milliseconds.
 */
export const keptSinceMs = (retentionMs: number | null, nowMs: number): number | null =>
  retentionMs === null ? null : nowMs - Math.max(retentionMs, DAY_MS);

/** Counts of one run; the executor adds to them. */
export type Tally = Readonly<Record<Side, SideTally>> & {
  paired: number;
  conflicts: number;
  asked: number;
  repaired: number;
  skipped: number;
};

/** `deleted` counts contacts; the groups that were deleted are counted beside them. */
export type SideTally = { pulled: number; created: number; updated: number; deleted: number; groupsDeleted: number };

export const emptyTally = (): Tally => {
  const side = (): SideTally => ({ pulled: 0, created: 0, updated: 0, deleted: 0, groupsDeleted: 0 });
  return { left: side(), right: side(), paired: 0, conflicts: 0, asked: 0, repaired: 0, skipped: 0 };
};

/** The count of a summary to which each kind of write adds. */
export const COUNTED_AS = {
  create: 'created',
  update: 'updated',
  membership: 'updated',
  delete: 'deleted',
  'group-delete': 'groupsDeleted',
} as const satisfies Record<WriteKind, keyof SideTally>;

/** The run stops before it wrote anything (R8). */
export class HaltError extends Error {
  readonly halt: Halt;

  constructor(halt: Halt) {
    super(halt.message);
    this.name = 'HaltError';
    this.halt = halt;
  }
}

/** Another process works on the link, or took it over because this one did not renew its lease. */
export class LeaseError extends Error {
  constructor(link: string, what: 'busy' | 'lost') {
    super(
      what === 'busy'
        ? `The link ${link} is being synced by another process; try again when that run has ended.`
        : `Another process holds the lease of link ${link} now, so this run stopped writing. The next run continues.`,
    );
    this.name = 'LeaseError';
  }
}

/** The reason of a run that left a first sync to a person; stored with it. */
export const FIRST_SYNC_WAITS = FIRST_SYNC.message;

/** The reason of a run that ended because the program was stopped; stored with it. */
export const STOPPED = 'The program was stopped. Progress is stored; the next run continues.';

/** The reason of a run that ended because somebody paused its link; stored with it. */
export const PAUSED_BY_HAND =
  'The link was paused by hand. Progress is stored; the next run continues. Resume it with: contact-sync resume';

/** The run was ended before it was done, by the end of the program or by a person: no failure of the link. */
export class StoppedError extends Error {
  constructor(reason: typeof STOPPED | typeof PAUSED_BY_HAND = STOPPED) {
    super(reason);
    this.name = 'StoppedError';
  }
}

/** Runs the same step for both sides at once and waits for both, so that nothing continues behind an error. */
export const onBothSides = async <T>(step: (side: Side) => Promise<T>): Promise<Sides<T>> => {
  const [left, right] = await Promise.allSettled([step('left'), step('right')]);
  if (left.status === 'rejected') throw left.reason;
  if (right.status === 'rejected') throw right.reason;
  return { left: left.value, right: right.value };
};

/** What to do about a link whose credential was refused. */
export const resumeRemedy = (error: CredentialError, { link, sides }: Pick<LinkContext, 'link' | 'sides'>): string => {
  if (error instanceof ClientRefusedError) {
    return 'Correct it in the configuration, and send SIGHUP to a running daemon. The next run resumes the link';
  }
  const { tokenKey } = error.side === null ? {} : sides[error.side];
  if (tokenKey !== undefined) return `The token is set in ${tokenKey}. Replace it there`;
  const first =
    error instanceof DisabledError ? 'When the account is enabled again, sign in with' : 'Sign in again with';
  const side = error.side === null ? '' : ` ${sides[error.side].name}`;
  return `${first}: contact-sync connect${side} ${link}`;
};
