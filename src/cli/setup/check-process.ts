import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app/app.ts';
import { verifyState } from '../../app/backup.ts';
import type { Config } from '../../app/config/config.ts';
import { DATABASE_FILE } from '../../app/config/default-places.ts';
import { count } from '../../core/view/words.ts';
import { connectBriefly } from '../../daemon/jobs/queue.ts';
import { StoreError } from '../../store/store.ts';
import type { ConfigProblem } from '../../util/config-error.ts';
import { accessRemedy } from '../../util/files.ts';
import { isLoopback } from '../../util/http.ts';
import { watchTrouble } from '../../util/redis-trouble.ts';
import type { Secret } from '../../util/secret.ts';
import { systemClock } from '../../util/clock.ts';
import { EXIT, messageOf } from '../command/exit-codes.ts';
import { fault, fine, warning, type Finding } from './finding.ts';

const CONFIGURATION = { name: 'configuration' };
const DATA_DIRECTORY = { name: 'data-directory' };
const STORE = { name: 'store' };
const REDIS = { name: 'redis' };
const NOTICES = { name: 'notices' };

/** The finding of a configuration problem, whose text is the fault and then the remedy. */
export const faultOfConfiguration = ({ where, what }: ConfigProblem): Finding => {
  const [, wrong = what, remedy = ''] = /^(.*?\.)\s+(.*)$/su.exec(what) ?? [];
  return fault(CONFIGURATION, `${where} ${wrong}`, remedy === '' ? null : remedy, EXIT.usage);
};

export const fineConfiguration = (config: Config): Finding =>
  fine(
    CONFIGURATION,
    [count(config.links.length, 'link'), config.links.map(({ name }) => name).join(', ')].filter(Boolean).join(': ') +
      (config.file === null ? '' : `, from ${config.file}`),
  );

const OTHERS = 0o077;
const FILES = [DATABASE_FILE, `${DATABASE_FILE}-wal`];

const modeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ mode }) => mode & 0o777,
    () => null,
  );

/** True if this process may read and write the path, and has the access `more`. */
const isOurs = (path: string, more = 0): Promise<boolean> =>
  access(path, constants.R_OK | constants.W_OK | more).then(
    () => true,
    () => false,
  );

const octal = (mode: number): string => mode.toString(8).padStart(4, '0');

/** Checks that the data directory can be written, and that only its owner can read it. */
export const checkDataDirectory = async ({ dataDir }: Config): Promise<readonly Finding[]> => {
  const mode = await modeOf(dataDir);
  if (mode === null) return [fine(DATA_DIRECTORY, `${dataDir} does not exist yet; it is created now`)];
  const isWritable = await isOurs(dataDir, constants.X_OK);
  if (!isWritable) {
    return [fault(DATA_DIRECTORY, `${dataDir} cannot be written`, accessRemedy(dataDir))];
  }
  const findings: Finding[] = [];
  for (const path of FILES.map((name) => join(dataDir, name))) {
    const fileMode = await modeOf(path);
    if (fileMode === null) continue;
    if (!(await isOurs(path)))
      findings.push(fault(DATA_DIRECTORY, `${path} cannot be read and written`, accessRemedy(path)));
    if ((fileMode & OTHERS) === 0) continue;
    findings.push(fault(DATA_DIRECTORY, `${path} is open to others (${octal(fileMode)})`, `chmod 600 ${path}`));
  }
  if ((mode & OTHERS) !== 0) {
    findings.push(warning(DATA_DIRECTORY, `${dataDir} is open to others (${octal(mode)})`, `chmod 700 ${dataDir}`));
  }
  return findings.length > 0 ? findings : [fine(DATA_DIRECTORY, `${dataDir} (${octal(mode)})`)];
};

/** The finding about a database that answers, with a warning for an unencrypted connection. Throws if its file is damaged. */
const judgeStore = ({ databaseUrl, dataDir }: Config): Finding => {
  const works = 'opened, migrated, writable';
  if (databaseUrl === null) {
    verifyState(dataDir);
    return fine(STORE, works);
  }
  const { hostname, searchParams } = new URL(databaseUrl.reveal());
  const mode = searchParams.get('sslmode') ?? 'disable';
  const isOpen = hostname !== '' && !isLoopback(hostname) && ['disable', 'allow', 'prefer'].includes(mode);
  if (!isOpen) return fine(STORE, `on PostgreSQL: ${works}`);
  return warning(
    STORE,
    `is on PostgreSQL on ${hostname}, without TLS`,
    'Append sslmode=verify-full to DATABASE_URL, and sslrootcert for your own certificate authority.',
  );
};

/** Checks that the database can be written and is not damaged. It has been opened and migrated before. */
export const checkStore = async ({ store, config }: App): Promise<Finding> => {
  try {
    const nowMs = systemClock.now();
    for (const { name } of config.links) {
      // A free lease is taken, expires at once, and is released: no run waits for it. The lease of a run stays as it is.
      await store.acquireLease(name, 'doctor', nowMs, nowMs);
      await store.releaseLease(name, 'doctor');
    }
    return judgeStore(config);
  } catch (error) {
    return faultOfStore(error);
  }
};

export const faultOfStore = (error: unknown): Finding =>
  error instanceof StoreError ? fault(STORE, error.detail, error.remedy) : fault(STORE, messageOf(error), null);

const fieldOf = (info: string, name: string): string | null =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'mu').exec(info)?.[1] ?? null;

const OLDEST_REDIS = { major: 6, minor: 2 };

const judgeRedis = (info: string): Finding => {
  const version = fieldOf(info, 'redis_version');
  const policy = fieldOf(info, 'maxmemory_policy');
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const { major: oldest, minor: oldestMinor } = OLDEST_REDIS;
  if (major < oldest || (major === oldest && minor < oldestMinor)) {
    return fault(REDIS, `version ${version ?? 'unknown'} is too old`, `Run Redis ${oldest}.${oldestMinor} or newer.`);
  }
  if (policy !== 'noeviction') {
    const remedy = 'Set maxmemory-policy noeviction. Otherwise Redis may drop jobs when its memory is full.';
    return fault(REDIS, `maxmemory-policy is ${policy ?? 'unknown'}`, remedy);
  }
  return fine(REDIS, `version ${version ?? 'unknown'}, maxmemory-policy ${policy}`);
};

/** Checks that Redis answers, is new enough, and does not evict data. A Redis that cannot be used counts as unavailable. */
export const checkRedis = async (redisUrl: Secret | null): Promise<Finding> => {
  if (redisUrl === null) return fine(REDIS, 'not configured; the daemon uses timers');
  const redis = connectBriefly(redisUrl);
  const troubleOf = watchTrouble(redis);
  try {
    await redis.connect();
    return judgeRedis(await redis.info());
  } catch (error) {
    const { what, remedy } = troubleOf(error);
    return fault(REDIS, what, remedy, EXIT.unavailable);
  } finally {
    redis.disconnect();
  }
};

const TEST_TEXT = 'A test by contact-sync. Notifications about its links arrive here.';

/** Sends a test notification. */
export const sendTestNotification = async ({ notifyUrl }: Config): Promise<Finding> => {
  if (notifyUrl === null) return fault(NOTICES, 'NOTIFY_URL is not set', 'Set it to the URL of a webhook.', EXIT.usage);
  const { deliver } = await import('../../daemon/notify/webhook.ts');
  try {
    const status = await deliver(
      notifyUrl.reveal(),
      { event: 'test', link: null, reason: null, text: TEST_TEXT },
      systemClock,
    );
    return fine(NOTICES, `${new URL(notifyUrl.reveal()).host} accepted a test (${status})`);
  } catch (error) {
    return fault(NOTICES, messageOf(error), 'Correct NOTIFY_URL, or try again later.', EXIT.unavailable);
  }
};
