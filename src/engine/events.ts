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
  /** The free requests of the side with the fewest; null if no side has a budget and a token. */
  readonly budget: {
    readonly side: Side;
    readonly remaining: number;
    readonly limit: number;
    readonly windowMs: number;
  } | null;
};

/** Users name their groups, so a group name may contain personal data. */
type GroupFields = RunRef & { readonly side: Side; readonly name: string };

/**
 * The log catalogue: one function for each event, with a constant message and its data in fields. Values that people
 * entered (names, addresses, group names) and error texts of a remote are logged only if personal data may be logged.
 */
export interface Events {
  daemonStarted(fields: { readonly links: readonly string[]; readonly queue: 'redis' | 'embedded' }): void;
  /** Other users of the machine may place a database or a token in DATA_DIR. */
  dataDirWritable(fields: { readonly path: string; readonly mode: string; readonly remedy: string }): void;
  /** An http:// address of a link leads to another machine: credentials and contacts are sent unencrypted. */
  addressesUnencrypted(
    fields: LinkRef & { readonly addresses: readonly UnencryptedAddress[]; readonly remedy: string },
  ): void;
  /** Leases keep two runs of a link apart. */
  dataDirShared(fields: { readonly host: string; readonly pid: number | null; readonly aliveAt: string }): void;
  /** The address of the page, metrics and health (LISTEN). */
  httpServerStarted(fields: { readonly address: string }): void;
  /** The default address of LISTEN cannot be used. */
  pageUnavailable(fields: { readonly reason: string; readonly remedy: string }): void;
  /** Other machines can read the metrics, and see the page with CONSOLE_TOKEN. */
  httpServerOpen(fields: { readonly address: string; readonly remedy: string }): void;
  httpRequestFailed(fields: { readonly path: string; readonly error: unknown }): void;
  /**
   * The HTTP server has its largest number of connections, which is a part of the limit of file descriptors. For each new
   * connection the one that has been idle longest is closed. Logged again after half of them were closed.
   */
  httpConnectionsLimited(fields: { readonly limit: number }): void;
  daemonStopping(fields: { readonly signal: string }): void;
  daemonStopped(): void;
  /** After SIGHUP. */
  configReloaded(fields: ConfigChange): void;
  /** The file of a link is invalid, so the link is not served. */
  linkSettingsInvalid(fields: LinkRef & { readonly problems: readonly string[] }): void;
  /** After SIGHUP. The previous configuration stays in use. */
  configRejected(fields: { readonly problems: readonly string[] }): void;
  /** NOTIFY_URL begins with http:// and leads to another machine. */
  notificationUrlUnencrypted(fields: { readonly host: string; readonly remedy: string }): void;
  /** `news` is its kind. */
  notificationSent(fields: LinkRef & { readonly news: string; readonly host: string }): void;
  /** It is sent again. Logged once for each reason in a row. */
  notificationFailed(fields: { readonly host: string; readonly reason: string; readonly remedy: string }): void;
  /** At the start of the daemon and every hour. */
  linkHeartbeat(fields: LinkHeartbeat): void;
  /** DATA_DIR is not writable, or the store is not readable. */
  heartbeatFailed(fields: { readonly error: unknown }): void;
  /** A scheduled run waits for a user, or for the next attempt at a remote. */
  jobSkipped(fields: LinkRef & { readonly kind: string; readonly why: string }): void;
  /** Outside of a run. */
  jobFailed(fields: LinkRef & { readonly kind: string; readonly error: unknown }): void;
  queueConnected(): void;
  /** Work that needs the database waits. Logged once. */
  databaseUnreachable(fields: { readonly reason: string }): void;
  databaseReconnected(): void;
  /** Redis, or the database that owns the jobs, does not answer. Jobs wait. */
  queueUnreachable(fields: { readonly reason: string }): void;
  queueError(fields: { readonly reason: string }): void;
  schedulesCreated(fields: { readonly schedules: number; readonly removed: number }): void;

  runStarted(fields: RunRef & { readonly kind: RunSummary['kind'] }): void;
  /** A run that wrote or paired contacts, a full run, or an undo. */
  runCompleted(fields: RunSummary): void;
  /** A run without changes. */
  runIdle(fields: RunSummary): void;
  /** The first sync of a link waits until a user accepts its plan (FIRST_SYNC). `reason` has the command. */
  firstSyncWaits(fields: RunSummary & { readonly reason: string }): void;
  /** A guard stopped the run before it wrote (R8). Every run halts until the remedy in `reason` is applied. */
  runHalted(fields: RunSummary & { readonly reason: string }): void;
  /** A remote stayed unavailable, or its rate limit exhausted. The next run continues. */
  runCutShort(fields: RunSummary & { readonly side: Side | null; readonly error: unknown }): void;
  /** A bug, or a problem of the store or the configuration. */
  runFailed(fields: RunSummary & { readonly side: Side | null; readonly error: unknown }): void;
  /** The process was stopped during the run. */
  runStopped(fields: RunSummary): void;
  /** The outcome of writes that an earlier process left unfinished was determined. */
  runRecovered(fields: RunRef & { readonly writes: number }): void;
  sideListed(fields: RunRef & { readonly side: Side; readonly whole: boolean; readonly contacts: number }): void;
  /** The side is listed in full. */
  cursorExpired(fields: RunRef & { readonly side: Side; readonly reason: string }): void;
  planComputed(fields: RunRef & { readonly contacts: Readonly<Record<Side, number>> }): void;

  /** A credential is missing or was refused; `run` is null if no run started. */
  linkPaused(
    fields: SidesRef & {
      readonly run: string | null;
      readonly side: Side | null;
      readonly reason: string;
      readonly remedy: string;
    },
  ): void;
  /** No scheduled run starts. */
  linkPausedByHand(fields: LinkRef & { readonly remedy: string }): void;
  /** The first run after `link paused by hand` started. */
  linkResumed(fields: LinkRef): void;
  /** A run completed after the link was paused, halted or failing. */
  linkRecovered(fields: LinkRef & { readonly from: 'paused' | 'halted' | 'failing' }): void;
  /** A remote cut short this many runs in a row. Logged once. */
  linkFailing(fields: LinkRef & { readonly failures: number; readonly reason: string; readonly remedy: string }): void;
  /** The run did not start. */
  leaseBusy(fields: LinkRef): void;
  /** Another process took over the lease; the run stopped. */
  leaseLost(fields: RunRef): void;

  /** The policy chose the value of `winner`. */
  conflictSettled(
    fields: ContactRef & {
      readonly field: SyncedField;
      readonly winner: Side;
      readonly left: unknown;
      readonly right: unknown;
    },
  ): void;
  /** The policy is `ask`: both sides keep their value until a user decides. */
  conflictAwaitingDecision(
    fields: ContactRef & { readonly field: SyncedField; readonly left: unknown; readonly right: unknown },
  ): void;
  contactSkipped(fields: ContactRef & { readonly side: Side; readonly reason: string }): void;
  /** A side did not store these values; they are not sent again until they change (R2). */
  valueRefused(fields: ContactRef & { readonly side: Side; readonly fields: readonly SyncedField[] }): void;
  /** Contacts that may be the same person were not paired (R13). */
  matchAmbiguous(
    fields: RunRef & {
      readonly leftIds: readonly string[];
      readonly rightIds: readonly string[];
      readonly why: string;
      readonly remedy: string;
    },
  ): void;

  groupCreated(fields: GroupFields): void;
  groupRenamed(fields: GroupFields): void;
  groupDeleted(fields: GroupFields): void;
  /** One of several groups with the same name is synced. */
  groupDuplicate(fields: GroupFields): void;
  groupRefused(fields: GroupFields & { readonly reason: string }): void;

  /** Logged once for all requests that wait. */
  retryScheduled(
    fields: SidesRef & {
      readonly side: Side;
      readonly reason: string;
      readonly retryInMs: number;
      readonly retryAt: string;
    },
  ): void;
  /** A side answered 429: the configured limit is too high, or another client uses it. */
  rateLimited(fields: SidesRef & { readonly side: Side; readonly retryAfterMs: number }): void;
}

type Level = 'debug' | 'info' | 'warn' | 'error';

/** Replaces left and right in the fields with the names of the sides in the configuration. */
const inWords = ({ sides, ...fields }: { readonly sides?: Sides<SideWords> }): unknown =>
  sides === undefined ? fields : inWordsOf(sides, fields);

/** The quoted part of an error message: text of a remote, which may contain personal data. */
const REMOTE_WORDS = / saying ".*"/gsu;

/** Further properties of an error that are logged; none contains text of a remote. */
const ERROR_KEYS = ['kind', 'code', 'status', 'route', 'retry'] as const;

/** A copy of the error without text of a remote. The cause of an error with a status is the remote's answer. */
const withoutWordsInError = (error: Error): Error => {
  const isAnswer = typeof Reflect.get(error, 'status') === 'number';
  const hasCause = error.cause !== undefined && !isAnswer;
  const copy = new Error(withoutRemoteWords(error.message), hasCause ? { cause: withoutRemoteWords(error.cause) } : {});
  copy.name = error.name;
  copy.stack = withoutRemoteWords(error.stack ?? '');
  const kept = ERROR_KEYS.filter((key) => key in error).map((key) => [key, Reflect.get(error, key) as unknown]);
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

type EventOptions = { readonly personalData: boolean };

const writersTo = (logger: Logger, options: EventOptions) => {
  const write = (level: Level, message: string, fields: object): void =>
    logger[level](inWords(options.personalData ? fields : withoutWordsIn(fields)), message);
  const log = (level: Level, message: string) => (fields: object) => write(level, message, fields);
  const logGroup =
    (level: Level, message: string) =>
    ({ name, ...fields }: GroupFields) =>
      write(level, message, options.personalData ? { ...fields, name } : fields);
  const logValues =
    (level: Level, message: string) =>
    ({ left, right, ...fields }: Readonly<Record<Side, unknown>>) =>
      write(level, message, options.personalData ? { ...fields, left, right } : fields);
  return { log, logGroup, logValues };
};

/** Events of notifications. */
const notificationEvents = (log: ReturnType<typeof writersTo>['log']) => ({
  notificationUrlUnencrypted: log('warn', 'unencrypted notification URL'),
  notificationSent: log('info', 'notification sent'),
  notificationFailed: log('warn', 'notification failed'),
});

/** Events of configuration changes. */
const configurationEvents = (log: ReturnType<typeof writersTo>['log']) => ({
  configReloaded: log('info', 'configuration reloaded'),
  configRejected: log('error', 'configuration rejected'),
  linkSettingsInvalid: log('error', 'link settings invalid'),
});

/** Events of the state of links. */
const linkStateEvents = (log: ReturnType<typeof writersTo>['log']) => ({
  linkPaused: log('error', 'link paused'),
  linkPausedByHand: log('info', 'link paused by hand'),
  linkResumed: log('info', 'link resumed'),
  linkRecovered: log('info', 'link recovered'),
  linkFailing: log('error', 'link failing'),
});

/** Events that are written to the log. */
export const createEvents = (logger: Logger, options: EventOptions): Events => {
  const { log, logGroup, logValues } = writersTo(logger, options);
  return {
    daemonStarted: log('info', 'daemon started'),
    dataDirWritable: log('warn', 'DATA_DIR writable by others'),
    addressesUnencrypted: log('warn', 'unencrypted remote address'),
    dataDirShared: log('warn', 'DATA_DIR shared with another daemon'),
    httpServerStarted: log('info', 'HTTP server started'),
    pageUnavailable: log('warn', 'page unavailable'),
    httpServerOpen: log('warn', 'HTTP server open to other machines'),
    httpRequestFailed: log('error', 'HTTP request failed'),
    httpConnectionsLimited: log('warn', 'HTTP connections limited'),
    daemonStopping: log('info', 'daemon stopping'),
    daemonStopped: () => logger.info('daemon stopped'),
    ...configurationEvents(log),
    ...notificationEvents(log),
    linkHeartbeat: log('info', 'link heartbeat'),
    heartbeatFailed: log('error', 'heartbeat failed'),
    jobSkipped: log('debug', 'job skipped'),
    jobFailed: log('error', 'job failed'),
    databaseUnreachable: log('warn', 'database unreachable'),
    databaseReconnected: () => logger.info('database reconnected'),
    queueConnected: () => logger.info('queue connected'),
    queueUnreachable: log('warn', 'queue unreachable'),
    queueError: log('warn', 'queue error'),
    schedulesCreated: log('info', 'schedules created'),

    runStarted: log('debug', 'run started'),
    runCompleted: log('info', 'run completed'),
    runIdle: log('debug', 'run completed'),
    firstSyncWaits: log('warn', 'run halted'),
    runHalted: log('error', 'run halted'),
    runCutShort: log('warn', 'run cut short'),
    runFailed: log('error', 'run failed'),
    runStopped: log('info', 'run stopped'),
    runRecovered: log('info', 'interrupted writes settled'),
    sideListed: log('debug', 'side listed'),
    cursorExpired: log('info', 'cursor expired'),
    planComputed: log('debug', 'plan computed'),

    ...linkStateEvents(log),
    leaseBusy: log('info', 'lease held by another process'),
    leaseLost: log('warn', 'lease lost'),

    conflictSettled: logValues('info', 'conflict settled'),
    conflictAwaitingDecision: logValues('info', 'conflict awaiting decision'),
    contactSkipped: log('warn', 'contact skipped'),
    valueRefused: log('warn', 'value not stored'),
    matchAmbiguous: log('warn', 'ambiguous match'),

    groupCreated: logGroup('info', 'group created'),
    groupRenamed: logGroup('info', 'group renamed'),
    groupDeleted: logGroup('info', 'group deleted'),
    groupDuplicate: logGroup('warn', 'duplicate group name'),
    groupRefused: logGroup('warn', 'group refused'),

    retryScheduled: log('info', 'retry scheduled'),
    rateLimited: log('error', 'rate limit exceeded'),
  };
};
