import type { SyncedField } from './contact/contact.ts';
import { inWordsOf, type Side, type Sides, type SideWords } from './contact/side.ts';
import type { Logger } from './logger.ts';

type LinkRef = { readonly link: string };
/** With how the sides of the link are called, which is how the fields are named in the log. */
type SidesRef = LinkRef & { readonly sides: Sides<SideWords> };
type RunRef = SidesRef & { readonly run: string };
type ContactRef = RunRef & { readonly leftId: string | null; readonly rightId: string | null };

/** The side's name, the variable or key that holds the address, and the host. */
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
  /** Settings that take effect only when the daemon is started again. */
  readonly needsRestart: readonly string[];
};

type LinkHeartbeat = SidesRef & {
  readonly state: 'active' | 'paused' | 'halted' | 'failing';
  readonly reason: string | null;
  readonly pairs: number;
  readonly openConflicts: number;
  readonly refused: number;
  readonly lastRunAt: string | null;
  /** The requests that are free now, at the side with the fewest; null where no side has a budget and a token. */
  readonly budget: {
    readonly side: Side;
    readonly remaining: number;
    readonly limit: number;
    readonly windowMs: number;
  } | null;
};

/** Groups are named by their users, so a name may say something of people: it is personal. */
type GroupFields = RunRef & { readonly side: Side; readonly name: string };

/**
 * The log catalogue: one function for each business event, with a constant message and its data in fields. Values that
 * people entered (names, addresses, group names), and what a remote says in its own words, leave this file only when
 * personal data may be logged.
 */
export interface Events {
  daemonStarted(fields: { readonly links: readonly string[]; readonly queue: 'redis' | 'embedded' }): void;
  /** DATA_DIR may be written by others, who could then plant a database or a token there. */
  dataDirOpen(fields: { readonly path: string; readonly mode: string; readonly remedy: string }): void;
  /** A link's addresses that begin with http:// and lead to another machine. */
  addressesUnencrypted(
    fields: LinkRef & { readonly addresses: readonly UnencryptedAddress[]; readonly remedy: string },
  ): void;
  /** Another daemon works on this DATA_DIR: links are kept apart by their leases, but each run is asked for twice. */
  daemonBeside(fields: { readonly host: string; readonly pid: number | null; readonly aliveAt: string }): void;
  /** LISTEN: what is served over HTTP, the page, the metrics and the health, is to be had at this address. */
  listening(fields: { readonly address: string }): void;
  /** LISTEN is not set and its default address cannot be used. The daemon runs without page, metrics and health. */
  pageUnavailable(fields: { readonly reason: string; readonly remedy: string }): void;
  /** Other machines reach that address, and whoever does reads the metrics, and the page where CONSOLE_TOKEN is known. */
  listeningOpenly(fields: { readonly address: string; readonly remedy: string }): void;
  /** A request over HTTP could not be answered; the metrics, for one, while the store cannot be read. */
  answerFailed(fields: { readonly path: string; readonly error: unknown }): void;
  daemonStopping(fields: { readonly signal: string }): void;
  daemonStopped(): void;
  /** SIGHUP: the links that came, went and were changed. */
  configReloaded(fields: ConfigChange): void;
  /** The links that came, went and were changed in the database, which keeps them beside those of the file. */
  linksChanged(fields: LinkChange): void;
  /** A link that the database keeps cannot be used as it is, and is left out; logged once for what is wrong with it. */
  linkFaulty(fields: LinkRef & { readonly problems: readonly string[] }): void;
  /** The links that the database keeps cannot be read; those that were read before stay. Logged once for each reason. */
  linksUnread(fields: { readonly error: unknown }): void;
  /** The new configuration cannot be used; the one before stays. */
  configRejected(fields: { readonly problems: readonly string[] }): void;
  /** NOTIFY_URL begins with http:// and leads to another machine. */
  noticesUnencrypted(fields: { readonly host: string; readonly remedy: string }): void;
  /** The receiver of NOTIFY_URL was told how a link stands; `news` says what. */
  noticeSent(fields: LinkRef & { readonly news: string; readonly host: string }): void;
  /** The receiver of NOTIFY_URL did not take a notice; it is sent again. Logged once for each reason in a row. */
  noticeFailed(fields: { readonly host: string; readonly reason: string; readonly remedy: string }): void;
  /** How a link stands, at the daemon's start and every hour. */
  linkHeartbeat(fields: LinkHeartbeat): void;
  /** The daemon could not say that it lives: DATA_DIR cannot be written, or the store not be read. */
  heartbeatFailed(fields: { readonly error: unknown }): void;
  /** A scheduled run did not begin: the link waits for its owner, or until a remote is asked again. */
  jobSkipped(fields: LinkRef & { readonly kind: string; readonly why: string }): void;
  /** A job ended in a way that no run accounts for. */
  jobFailed(fields: LinkRef & { readonly kind: string; readonly error: unknown }): void;
  queueConnected(): void;
  /** The database of DATABASE_URL does not answer; what needs it waits until it does. Logged once. */
  storeAway(fields: { readonly reason: string }): void;
  /** It answers again. */
  storeBack(): void;
  /** Redis, or the database whose jobs are meant, does not answer; schedules and jobs wait until it does. */
  queueLost(fields: { readonly reason: string }): void;
  /** The queue's own trouble, such as a job that went away while it ran. */
  queueTrouble(fields: { readonly reason: string }): void;
  schedulesCreated(fields: { readonly schedules: number; readonly removed: number }): void;

  runStarted(fields: RunRef & { readonly kind: RunSummary['kind'] }): void;
  /** A run that wrote or paired something, a full one, or an undo. */
  runCompleted(fields: RunSummary): void;
  /** A run that found nothing to do; what stays as it was is told by the heartbeat of the link. */
  runIdle(fields: RunSummary): void;
  /** A guard stopped the run before it wrote anything (R8). The reason says what to do; each run until then repeats it. */
  runHalted(fields: RunSummary & { readonly reason: string }): void;
  /** A remote stayed unavailable, or its limit reached. What was done is stored; the next run goes on from there. */
  runCutShort(fields: RunSummary & { readonly side: Side | null; readonly error: unknown }): void;
  /** What no run recovers from by itself: a fault of this program, the store or the configuration; see the error. */
  runFailed(fields: RunSummary & { readonly side: Side | null; readonly error: unknown }): void;
  /** The program was stopped while the run was under way. */
  runStopped(fields: RunSummary): void;
  /** Writes that an earlier process left under way were settled. */
  runRecovered(fields: RunRef & { readonly writes: number }): void;
  sideListed(fields: RunRef & { readonly side: Side; readonly whole: boolean; readonly contacts: number }): void;
  /** The change feed cannot go on from its cursor, so the side is listed whole. */
  cursorExpired(fields: RunRef & { readonly side: Side; readonly reason: string }): void;
  planned(fields: RunRef & { readonly writes: Readonly<Record<Side, number>> }): void;

  /** A credential is missing or was refused; `run` is null where no run began. */
  linkPaused(
    fields: SidesRef & {
      readonly run: string | null;
      readonly side: Side | null;
      readonly reason: string;
      readonly remedy: string;
    },
  ): void;
  /** A run has completed with the new credential of a link that was paused. */
  linkResumed(fields: LinkRef): void;
  /** A person has paused the link: no run of it begins by itself. */
  linkPausedByHand(fields: LinkRef & { readonly remedy: string }): void;
  /** The first run of a link that goes on after it was paused by hand. */
  linkResumedByHand(fields: LinkRef): void;
  /** A run has completed after others were halted, cut short or failed. */
  linkRecovered(fields: LinkRef & { readonly from: 'halted' | 'failing' }): void;
  /** A remote has cut short so many runs in a row; logged once. The link is tried again all the same. */
  linkFailing(fields: LinkRef & { readonly failures: number; readonly reason: string; readonly remedy: string }): void;
  /** Another process is working on the link. */
  leaseBusy(fields: LinkRef): void;
  leaseLost(fields: RunRef): void;

  conflictSettled(
    fields: ContactRef & {
      readonly field: SyncedField;
      readonly winner: Side;
      readonly left: unknown;
      readonly right: unknown;
    },
  ): void;
  /** Both sides changed a text, and the policy asks a person: both keep their value. */
  conflictAsked(
    fields: ContactRef & { readonly field: SyncedField; readonly left: unknown; readonly right: unknown },
  ): void;
  contactSkipped(fields: ContactRef & { readonly side: Side; readonly reason: string }): void;
  /** A side silently did not take values; they are not sent again until they change (R2). */
  valueRefused(fields: ContactRef & { readonly side: Side; readonly fields: readonly SyncedField[] }): void;
  /** Contacts could be the same person, but several fit or the names differ, so none was paired (R13). */
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
  /** Several groups of one side share a name; one of them is kept in step. */
  groupDuplicate(fields: GroupFields): void;
  groupRefused(fields: GroupFields & { readonly reason: string }): void;

  /** A request is sent again later, since the side did not answer it as it should; told once for all that wait. */
  remoteAwaited(
    fields: SidesRef & {
      readonly side: Side;
      readonly reason: string;
      readonly retryInMs: number;
      readonly retryAt: string;
    },
  ): void;
  /** A side answered 429: the governor let too much through, or somebody else uses the same limit. */
  rateLimited(fields: SidesRef & { readonly side: Side; readonly retryAfterMs: number }): void;
}

type Level = 'debug' | 'info' | 'warn' | 'error';

/** The fields as they are logged: a link's sides are named as its configuration names them. */
const inWords = ({ sides, ...fields }: { readonly sides?: Sides<SideWords> }): unknown =>
  sides === undefined ? fields : inWordsOf(sides, fields);

/** How an error quotes a remote's own words, which may name people. */
const REMOTE_WORDS = / saying ".*"/gsu;

/** What else of an error is logged; none of it holds words of a remote. */
const ERROR_KEYS = ['kind', 'code', 'status', 'route', 'retry'] as const;

/** The error without a remote's own words: of one that follows from an answer, the cause is what the remote said. */
const withoutWordsInError = (error: Error): Error => {
  const isAnswer = typeof Reflect.get(error, 'status') === 'number';
  const hasCause = error.cause !== undefined && !isAnswer;
  const copy = new Error(withoutRemoteWords(error.message), hasCause ? { cause: withoutRemoteWords(error.cause) } : {});
  copy.name = error.name;
  copy.stack = withoutRemoteWords(error.stack ?? '');
  const kept = ERROR_KEYS.filter((key) => key in error).map((key) => [key, Reflect.get(error, key) as unknown]);
  return Object.assign(copy, Object.fromEntries(kept));
};

/** A value of a log line without what a remote said in its own words: these may name people. */
export const withoutRemoteWords = <Value>(value: Value): Value => {
  // Each branch gives back what it was given, but for the words.
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

/** Delivery of notices. */
const tellingTo = (log: ReturnType<typeof writersTo>['log']) => ({
  noticesUnencrypted: log('warn', 'notices go unencrypted'),
  noticeSent: log('info', 'notice sent'),
  noticeFailed: log('warn', 'notice not delivered'),
});

/** What becomes of changes of the configuration, and of the links that a database keeps. */
const changingTo = (log: ReturnType<typeof writersTo>['log']) => ({
  configReloaded: log('info', 'configuration reloaded'),
  configRejected: log('error', 'configuration rejected'),
  linksChanged: log('info', 'links changed'),
  linkFaulty: log('error', 'link left out'),
  linksUnread: log('error', 'links of the database cannot be read'),
});

/** What is logged of how links stand. */
const standingTo = (log: ReturnType<typeof writersTo>['log']) => ({
  linkPaused: log('error', 'link paused'),
  linkResumed: log('info', 'link resumed'),
  linkPausedByHand: log('info', 'link paused by hand'),
  linkResumedByHand: log('info', 'link goes on after a pause by hand'),
  linkRecovered: log('info', 'link in step again'),
  linkFailing: log('error', 'link failing for long'),
});

/** Events that are written to the log. */
export const createEvents = (logger: Logger, options: EventOptions): Events => {
  const { log, logGroup, logValues } = writersTo(logger, options);
  return {
    daemonStarted: log('info', 'daemon started'),
    dataDirOpen: log('warn', 'DATA_DIR may be written by others'),
    addressesUnencrypted: log('warn', 'credential and contacts go unencrypted'),
    daemonBeside: log('warn', 'another daemon works on this DATA_DIR'),
    listening: log('info', 'daemon listens'),
    pageUnavailable: log('warn', 'page unavailable'),
    listeningOpenly: log('warn', 'LISTEN is open to other machines'),
    answerFailed: log('error', 'request at LISTEN failed'),
    daemonStopping: log('info', 'daemon stopping'),
    daemonStopped: () => logger.info('daemon stopped'),
    ...changingTo(log),
    ...tellingTo(log),
    linkHeartbeat: log('info', 'link heartbeat'),
    heartbeatFailed: log('error', 'heartbeat failed'),
    jobSkipped: log('debug', 'job skipped'),
    jobFailed: log('error', 'job failed'),
    storeAway: log('warn', 'database unreachable, waiting for it'),
    storeBack: () => logger.info('database reachable again'),
    queueConnected: () => logger.info('queue connected'),
    queueLost: log('warn', 'queue unreachable, waiting for it'),
    queueTrouble: log('warn', 'queue trouble'),
    schedulesCreated: log('info', 'schedules created'),

    runStarted: log('debug', 'run started'),
    runCompleted: log('info', 'run completed'),
    runIdle: log('debug', 'run completed'),
    runHalted: log('error', 'run halted, nothing written'),
    runCutShort: log('warn', 'run cut short, a remote is unavailable'),
    runFailed: log('error', 'run failed'),
    runStopped: log('info', 'run stopped before its end'),
    runRecovered: log('info', 'interrupted writes settled'),
    sideListed: log('debug', 'side listed'),
    cursorExpired: log('info', 'change feed expired, listing the side whole'),
    planned: log('debug', 'plan made'),

    ...standingTo(log),
    leaseBusy: log('info', 'link is being synced by another process'),
    leaseLost: log('warn', 'link taken over by another process'),

    conflictSettled: logValues('info', 'conflict settled'),
    conflictAsked: logValues('info', 'conflict waits for a decision'),
    contactSkipped: log('warn', 'contact skipped'),
    valueRefused: log('warn', 'value not taken by the side'),
    matchAmbiguous: log('warn', 'ambiguous match left unpaired'),

    groupCreated: logGroup('info', 'group created'),
    groupRenamed: logGroup('info', 'group renamed'),
    groupDeleted: logGroup('info', 'group deleted'),
    groupDuplicate: logGroup('warn', 'several groups of one name'),
    groupRefused: logGroup('warn', 'group refused'),

    remoteAwaited: log('info', 'waiting for a remote'),
    rateLimited: log('error', 'rate limit exceeded'),
  };
};
