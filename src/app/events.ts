import type { SyncedField } from '../core/contact/contact.ts';
import { inWordsOf, type Side, type Sides, type SideWords } from '../core/contact/side.ts';
import type { Logger } from '../util/logger.ts';

type LinkRef = { readonly link: string };
/** With the names of the sides; the log uses them as field names. */
type SidesRef = LinkRef & { readonly sides: Sides<SideWords> };
type RunRef = SidesRef & { readonly run: string };
type ContactRef = RunRef & { readonly leftId: string | null; readonly rightId: string | null };

/** The side's name, the variable or key of the address, and its host. */
type UnencryptedAddress = { readonly side: string; readonly where: string; readonly host: string };

type SideCounts = {
  readonly pulled: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly requests: number;
};

type RunSummary = RunRef & {
  readonly kind: 'incremental' | 'full' | 'undo';
  readonly left: SideCounts;
  readonly right: SideCounts;
  readonly paired: number;
  readonly conflicts: number;
  readonly skipped: number;
  readonly durationMs: number;
};

type LinkChange = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
};

type ConfigChange = LinkChange & {
  /** Settings that take effect only after a restart of the daemon. */
  readonly needsRestart: readonly string[];
};

type LinkHeartbeat = SidesRef & {
  readonly state: 'active' | 'paused' | 'halted' | 'failing';
  readonly reason: string | null;
  readonly pairs: number;
  readonly openConflicts: number;
  readonly refused: number;
  readonly lastRunAt: string | null;
  /** The used share of the most used rate limit, 0 to 1; null if no run of this process has used one. */
  readonly budgetUsed: number | null;
};

/** Users name their groups, so a group name may contain personal data. */
type GroupFields = RunRef & { readonly side: Side; readonly name: string };

/** An event of the log: its level, its constant message, and the names of its `Fields` that people entered. */
type Definition<Fields> = {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly personal: readonly string[];
  /** Carries the type of the fields only. */
  readonly fields?: Fields;
};

const ofLevel =
  (level: Definition<unknown>['level']) =>
  <Fields = void>(message: string, personal: readonly (string & keyof Fields)[] = []): Definition<Fields> => ({
    level,
    message,
    personal,
  });

const debug = ofLevel('debug');
const info = ofLevel('info');
const warn = ofLevel('warn');
const error = ofLevel('error');

/**
 * The log catalogue. Values that people entered (names, addresses, group names) and error texts of a remote are logged only if
 * personal data may be logged.
 */
export const EVENTS = {
  daemonStarted: info<{ readonly links: readonly string[]; readonly queue: 'redis' | 'embedded' }>('daemon started'),
  /** An http:// address of a link leads to another machine: credentials and contacts are sent unencrypted. */
  addressesUnencrypted: warn<LinkRef & { readonly addresses: readonly UnencryptedAddress[]; readonly remedy: string }>(
    'unencrypted remote address',
  ),
  /** Leases keep two runs of a link apart. */
  dataDirShared: warn<{ readonly host: string; readonly pid: number; readonly aliveAt: string }>(
    'DATA_DIR shared with another daemon',
  ),
  /** The address of the page, metrics and health (LISTEN). */
  httpServerStarted: info<{ readonly address: string }>('HTTP server started'),
  /** The default address of LISTEN cannot be used. */
  pageUnavailable: warn<{ readonly reason: string; readonly remedy: string }>('page unavailable'),
  /** Other machines can read the metrics, and see the page with CONSOLE_TOKEN. */
  httpServerOpen: warn<{ readonly address: string; readonly remedy: string }>('HTTP server open to other machines'),
  httpRequestFailed: error<{ readonly path: string; readonly error: unknown }>('HTTP request failed'),
  /**
   * The HTTP server has its largest number of connections, which is a part of the limit of file descriptors. For each new
   * connection the one that has been idle longest is closed. Logged again after half of them were closed.
   */
  httpConnectionsLimited: warn<{ readonly limit: number }>('HTTP connections limited'),
  daemonStopping: info<{ readonly signal: string }>('daemon stopping'),
  daemonStopped: info('daemon stopped'),
  /** After SIGHUP. */
  configReloaded: info<ConfigChange>('configuration reloaded'),
  /** The file of a link is invalid, so the link is not served. */
  linkSettingsInvalid: error<LinkRef & { readonly problems: readonly string[] }>('link settings invalid'),
  /** After SIGHUP. The previous configuration stays in use. */
  configRejected: error<{ readonly problems: readonly string[] }>('configuration rejected'),
  /** NOTIFY_URL begins with http:// and leads to another machine. */
  notificationUrlUnencrypted: warn<{ readonly host: string; readonly remedy: string }>('unencrypted notification URL'),
  /** `news` is its kind. */
  notificationSent: info<LinkRef & { readonly news: string; readonly host: string }>('notification sent'),
  /** It is sent again. Logged once for each reason in a row. */
  notificationFailed: warn<{ readonly host: string; readonly reason: string; readonly remedy: string }>(
    'notification failed',
  ),
  /** At the start of the daemon and every hour. */
  linkHeartbeat: info<LinkHeartbeat>('link heartbeat'),
  /** DATA_DIR is not writable, or the store is not readable. */
  heartbeatFailed: error<{ readonly error: unknown }>('heartbeat failed'),
  /** A scheduled run waits for a user, or for the next attempt at a remote. */
  jobSkipped: debug<LinkRef & { readonly kind: string; readonly why: string }>('job skipped'),
  /** Outside of a run. */
  jobFailed: error<LinkRef & { readonly kind: string; readonly error: unknown }>('job failed'),
  queueConnected: info('queue connected'),
  /** Work that needs the database waits. Logged once. */
  databaseUnreachable: warn<{ readonly reason: string }>('database unreachable'),
  databaseReconnected: info('database reconnected'),
  /** Redis, or the database that owns the jobs, does not answer. Jobs wait. */
  queueUnreachable: warn<{ readonly reason: string }>('queue unreachable'),
  queueError: warn<{ readonly reason: string }>('queue error'),
  schedulesCreated: info<{ readonly schedules: number; readonly removed: number }>('schedules created'),

  runStarted: debug<RunRef & { readonly kind: RunSummary['kind'] }>('run started'),
  /** A run that wrote or paired contacts, a full run, or an undo. */
  runCompleted: info<RunSummary>('run completed'),
  /** A run without changes. */
  runIdle: debug<RunSummary>('run completed'),
  /** The first sync of a link waits until a user accepts its plan (FIRST_SYNC). `reason` has the command. */
  firstSyncWaits: warn<RunSummary & { readonly reason: string }>('run halted'),
  /** A guard stopped the run before it wrote (R8). The next run halts while the cause remains, unless the remedy in `reason` is applied. */
  runHalted: error<RunSummary & { readonly reason: string }>('run halted'),
  /** A remote stayed unavailable, or its rate limit exhausted. The next run continues. */
  runCutShort: warn<RunSummary & { readonly side: Side | null; readonly error: unknown }>('run cut short'),
  /** A bug, or a problem of the store or the configuration. */
  runFailed: error<RunSummary & { readonly side: Side | null; readonly error: unknown }>('run failed'),
  /** The process was stopped during the run. */
  runStopped: info<RunSummary>('run stopped'),
  /** The outcome of writes that an earlier process left unfinished was determined. */
  runRecovered: info<RunRef & { readonly writes: number }>('interrupted writes settled'),
  sideListed: debug<RunRef & { readonly side: Side; readonly whole: boolean; readonly contacts: number }>(
    'side listed',
  ),
  /** The side is listed in full. */
  cursorExpired: info<RunRef & { readonly side: Side; readonly reason: string }>('cursor expired'),
  planComputed: debug<RunRef & { readonly contacts: Sides<number> }>('plan computed'),

  /** A credential is missing or was refused; `run` is null if no run started. */
  linkPaused: error<
    SidesRef & {
      readonly run: string | null;
      readonly side: Side | null;
      readonly reason: string;
      readonly remedy: string;
    }
  >('link paused'),
  /** No scheduled run starts. */
  linkPausedByHand: info<LinkRef & { readonly remedy: string }>('link paused by hand'),
  /** The first run after `link paused by hand` started. */
  linkResumed: info<LinkRef>('link resumed'),
  /** A run completed after the link was paused, halted or failing. */
  linkRecovered: info<LinkRef & { readonly from: 'paused' | 'halted' | 'failing' }>('link recovered'),
  /** A remote cut short this many runs in a row. Logged once. */
  linkFailing: error<LinkRef & { readonly failures: number; readonly reason: string; readonly remedy: string }>(
    'link failing',
  ),
  /** The run did not start. */
  leaseBusy: info<LinkRef>('lease held by another process'),
  /** Another process took over the lease; the run stopped. */
  leaseLost: warn<RunRef>('lease lost'),

  /** The policy chose the value of `winner`. */
  conflictSettled: info<
    ContactRef & {
      readonly field: SyncedField;
      readonly winner: Side;
      readonly left: unknown;
      readonly right: unknown;
    }
  >('conflict settled', ['left', 'right']),
  /** The policy is `ask`: both sides keep their value until a user decides. */
  conflictAwaitingDecision: info<
    ContactRef & { readonly field: SyncedField; readonly left: unknown; readonly right: unknown }
  >('conflict awaiting decision', ['left', 'right']),
  contactSkipped: warn<ContactRef & { readonly side: Side; readonly reason: string }>('contact skipped'),
  /** A side did not store these values; they are not sent again until they change (R2). */
  valueRefused: warn<ContactRef & { readonly side: Side; readonly fields: readonly SyncedField[] }>('value not stored'),
  /** Contacts that may be the same person were not paired (R13). */
  matchAmbiguous: warn<
    RunRef & {
      readonly leftIds: readonly string[];
      readonly rightIds: readonly string[];
      readonly why: string;
      readonly remedy: string;
    }
  >('ambiguous match'),

  groupCreated: info<GroupFields>('group created', ['name']),
  groupRenamed: info<GroupFields>('group renamed', ['name']),
  groupDeleted: info<GroupFields>('group deleted', ['name']),
  /** One of several groups with the same name is synced. */
  groupDuplicate: warn<GroupFields>('duplicate group name', ['name']),
  groupRefused: warn<GroupFields & { readonly reason: string }>('group refused', ['name']),

  /** Logged once for all requests that wait. */
  retryScheduled: info<
    SidesRef & {
      readonly side: Side;
      readonly reason: string;
      readonly retryInMs: number;
      readonly retryAt: string;
    }
  >('retry scheduled'),
  /** A side answered 429: the configured limit is too high, or another client uses it. */
  rateLimited: error<SidesRef & { readonly side: Side; readonly retryAfterMs: number }>('rate limit exceeded'),
};

/** One function for each event of the catalogue. */
export type Events = {
  readonly [Name in keyof typeof EVENTS]: (typeof EVENTS)[Name] extends Definition<infer Fields>
    ? (fields: Fields) => void
    : never;
};

/** Replaces left and right in the fields with the names of the sides in the configuration. */
const inWords = ({ sides, ...fields }: { readonly sides?: Sides<SideWords> }): unknown =>
  sides === undefined ? fields : inWordsOf(sides, fields);

/** The quoted part of an error message: text of a remote, which may contain personal data. */
const REMOTE_WORDS = / saying ".*"/gsu;

/** Further properties of an error that are logged; none contains text of a remote. */
const ERROR_KEYS = ['kind', 'code', 'status', 'route', 'retry'] as const;

/** A copy of the error without text of a remote. The cause of an error with a status is the remote's answer. */
const withoutWordsInError = (original: Error): Error => {
  const isAnswer = typeof Reflect.get(original, 'status') === 'number';
  const hasCause = original.cause !== undefined && !isAnswer;
  const copy = new Error(
    withoutRemoteWords(original.message),
    hasCause ? { cause: withoutRemoteWords(original.cause) } : {},
  );
  copy.name = original.name;
  copy.stack = withoutRemoteWords(original.stack ?? '');
  const kept = ERROR_KEYS.filter((key) => key in original).map((key) => [key, Reflect.get(original, key) as unknown]);
  return Object.assign(copy, Object.fromEntries(kept));
};

/** Removes text of a remote, which may contain personal data, from a value of a log line. */
export const withoutRemoteWords = <Value>(value: Value): Value => {
  // Each branch returns the type that it received.
  if (typeof value === 'string') return value.replaceAll(REMOTE_WORDS, '') as Value;
  return value instanceof Error ? (withoutWordsInError(value) as Value) : value;
};

const withoutWordsIn = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, withoutRemoteWords<unknown>(value)]));

/** Returns events that are written to the log. */
export const createEvents = (logger: Logger, { personalData }: { readonly personalData: boolean }): Events => {
  const eventOf = ({ level, message, personal }: Definition<unknown>) => {
    const isLogged = ([name]: readonly [string, unknown]): boolean => personalData || !personal.includes(name);
    return (fields: object = {}): void => {
      const logged = Object.fromEntries(Object.entries(fields).filter(isLogged));
      logger[level](inWords(personalData ? logged : withoutWordsIn(logged)), message);
    };
  };
  return Object.fromEntries(Object.entries(EVENTS).map(([name, event]) => [name, eventOf(event)])) as Events;
};
