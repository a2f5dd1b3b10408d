import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { Secret } from './config/secret.ts';
import {
  environmentLayer,
  fileLayer,
  find,
  isSection,
  isUnset,
  parseYaml,
  readText,
  SECRET_KEYS,
  variableOf,
  type Environment,
  type Layer,
  type Report,
  type Section,
} from './config/sources.ts';
import {
  buckets,
  choice,
  concurrency,
  deleteLimit,
  duration,
  encryptionKey,
  rateLimit,
  redisUrl,
  secret,
  text,
  urlWithSlash,
  urlWithoutSlash,
  webUrl,
  type DeleteLimit,
  type RateLimit,
} from './config/values.ts';

export type LinkConfig = {
  readonly name: string;
  readonly service: {
    /** Without a slash at the end. */
    readonly baseUrl: string;
    readonly authUrl: string | null;
    readonly clientId: string | null;
    readonly clientSecret: Secret | null;
    /** Null: the token that `connect` stored. */
    readonly accessToken: Secret | null;
    readonly rateLimit: RateLimit;
    /** Whom the limit belongs to: each access token, or the registered application with all its users. */
    readonly rateScope: 'token' | 'application';
  };
  readonly google: {
    readonly clientId: string;
    readonly clientSecret: Secret;
    /** Null: the token that `connect` stored. */
    readonly refreshToken: Secret | null;
    /** With a slash at the end. */
    readonly rootUrl: string;
    readonly authUrl: string;
    readonly tokenUrl: string;
    readonly readLimit: RateLimit;
    readonly writeLimit: RateLimit;
  };
  readonly syncIntervalMs: number;
  readonly sweepIntervalMs: number;
  readonly direction: 'both' | 'to-google' | 'to-service';
  readonly conflictPolicy: 'newest' | 'google' | 'service';
  readonly deletePolicy: 'propagate' | 'keep';
  readonly deleteLimit: DeleteLimit;
  /** Names or globs; a later `!` pattern excludes. */
  readonly buckets: readonly string[];
};

export type Config = {
  /** An absolute path. */
  readonly dataDir: string;
  /** Null: no job queue, timers in the daemon's own process. May hold a password. */
  readonly redisUrl: Secret | null;
  /** Null: the tokens that `connect` stores are not encrypted. */
  readonly credentialsKey: Secret | null;
  /** Opens what was stored before the key was changed. */
  readonly credentialsKeyOld: Secret | null;
  /** How many links the daemon works on at the same time. */
  readonly concurrency: number;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  readonly logFormat: 'json' | 'pretty';
  readonly logPersonalData: boolean;
  readonly links: readonly LinkConfig[];
};

/** One fault of the configuration: the key or variable, what is wrong with it and what to do. Never a secret's value. */
export type ConfigProblem = { readonly where: string; readonly what: string };

/** The configuration cannot be used; `problems` holds every fault that was found, and the message lists them. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ where, what }) => `  - ${where}: ${what}`);
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${lines.join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** The settings of the process. */
const SharedSettings = z.object({
  dataDir: text.default('./data'),
  redisUrl: redisUrl.nullable().default(null),
  credentialsKey: encryptionKey.nullable().default(null),
  credentialsKeyOld: encryptionKey.nullable().default(null),
  concurrency: concurrency.default(10),
  logLevel: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  logFormat: choice('json', 'pretty').default('json'),
  logPersonalData: choice('true', 'false').default('false'),
});

const DEFAULT_SERVICE_LIMIT: RateLimit = { requests: 500, windowMs: 60_000 };
const DEFAULT_GOOGLE_LIMIT: RateLimit = { requests: 90, windowMs: 60_000 };

/** The settings that each link may have of its own. */
const LinkSettings = z.object({
  service: z.object({
    baseUrl: urlWithoutSlash,
    authUrl: urlWithoutSlash.nullable().default(null),
    clientId: text.nullable().default(null),
    clientSecret: secret.nullable().default(null),
    accessToken: secret.nullable().default(null),
    rateLimit: rateLimit.default(DEFAULT_SERVICE_LIMIT),
    rateScope: choice('token', 'application').default('token'),
  }),
  google: z.object({
    clientId: text,
    clientSecret: secret,
    refreshToken: secret.nullable().default(null),
    rootUrl: urlWithSlash.default('https://people.googleapis.com/'),
    authUrl: webUrl.default('https://accounts.google.com/o/oauth2/v2/auth'),
    tokenUrl: webUrl.default('https://oauth2.googleapis.com/token'),
    readLimit: rateLimit.default(DEFAULT_GOOGLE_LIMIT),
    writeLimit: rateLimit.default(DEFAULT_GOOGLE_LIMIT),
  }),
  syncInterval: duration.default(5 * 60_000),
  sweepInterval: duration.default(6 * 3_600_000),
  direction: choice('both', 'to-google', 'to-service').default('both'),
  conflictPolicy: choice('newest', 'google', 'service').default('newest'),
  deletePolicy: choice('propagate', 'keep').default('propagate'),
  deleteLimit: deleteLimit.default({ count: 10, percent: 10 }),
  buckets: buckets.default(['*']),
});

const keysOf = (schema: z.ZodObject): string[] =>
  Object.entries(schema.shape).flatMap(([name, inner]) =>
    inner instanceof z.ZodObject ? keysOf(inner).map((key) => `${name}.${key}`) : [name],
  );
const SHARED_KEYS = keysOf(SharedSettings);
const LINK_KEYS = keysOf(LinkSettings);

const DEFAULT_FILE = 'config/contact-sync.yaml';

/** The settings of the file that was asked for, of the usual one where it exists, else none; null where it has a fault. */
const readFile = (options: Required<LoadOptions>, report: Report): Section | null => {
  const { configPath, env, cwd } = options;
  const variablePath = env['CONTACT_SYNC_CONFIG']?.trim() || null;
  const path = resolve(cwd, configPath ?? variablePath ?? DEFAULT_FILE);
  const isUsual = configPath === null && variablePath === null;
  if (isUsual && !existsSync(path)) return {};
  const asker = configPath === null ? 'CONTACT_SYNC_CONFIG' : '--config';
  const content = readText(path, isUsual ? DEFAULT_FILE : asker, report);
  return content === null ? null : parseYaml(path, content, report);
};

/** The links that the file names, each with its section; without `links` there is one, named `default`. */
const linkSections = (links: unknown, report: Report): [string, Section][] => {
  if (links === undefined) return [['default', {}]];
  if (!isSection(links) || Object.keys(links).length === 0) {
    report('links', 'names no link. Write each link as name: with its settings below, or remove links.');
    return [];
  }
  return Object.entries(links).map(([name, section]): [string, Section] => {
    const where = `links.${name}`;
    if (!/^[a-z0-9][a-z0-9_-]*$/iu.test(name)) {
      report(where, 'is not a name for a link. Use letters, digits, - and _.');
    }
    if (isSection(section)) return [name, section];
    if (!isUnset(section)) report(where, 'holds no settings. Write them as name: value below it.');
    return [name, {}];
  });
};

const missing = (key: string): string => {
  const ways = SECRET_KEYS.includes(key) ? `it, ${variableOf(key)}_FILE` : 'it';
  return `is not set. Set ${ways} or ${key} in the configuration file.`;
};

/** The settings of one schema out of the layers; null where one of them has a fault, which is reported. */
const parse = <Shape extends z.ZodObject>(
  schema: Shape,
  layers: readonly Layer[],
  cwd: string,
  report: Report,
): z.output<Shape> | null => {
  const found = new Map(keysOf(schema).map((key) => [key, find(key, layers, cwd, report)]));
  const groups: Record<string, Record<string, unknown>> = { service: {}, google: {}, ungrouped: {} };
  for (const [key, setting] of found) {
    const [name = key, group = 'ungrouped'] = key.split('.').toReversed();
    if (setting?.value) groups[group] = { ...groups[group], [name]: setting.value };
  }
  const { ungrouped, ...grouped } = groups;
  const result = schema.safeParse({ ...ungrouped, ...grouped });
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const key = issue.path.join('.');
    const setting = found.get(key);
    if (!setting) report(variableOf(key), missing(key));
    else if (setting.value !== null) report(setting.where, issue.message);
  }
  return null;
};

/** What belongs to one account, so that one variable cannot set it for several links. */
const ACCOUNT_KEYS = ['service.accessToken', 'google.refreshToken'];

const reportSharedAccounts = (environment: Layer, linkCount: number, report: Report): void => {
  const variables = ACCOUNT_KEYS.flatMap((key) => [key, `${key}File`]).filter((key) => environment.values.has(key));
  for (const key of linkCount > 1 ? variables : []) {
    report(variableOf(key), `is one account's, but there are ${linkCount} links. Set links.<name>.${key} in the file.`);
  }
};

const toLinkConfig = (name: string, settings: z.output<typeof LinkSettings>): LinkConfig => {
  const { syncInterval, sweepInterval, ...rest } = settings;
  return { ...rest, name, syncIntervalMs: syncInterval, sweepIntervalMs: sweepInterval };
};

export type LoadOptions = {
  /** The process's own where left out. */
  readonly env?: Environment;
  /** The file that `--config` names. */
  readonly configPath?: string | null;
  /** Where relative paths start; the process's own where left out. */
  readonly cwd?: string;
};

/**
 * The whole configuration, from the variables, which win, and the YAML file, in which a link's own section wins over
 * the top. Throws {@link ConfigError} with every problem at once.
 */
export const loadConfig = (options: LoadOptions = {}): Config => {
  const { env = process.env, configPath = null, cwd = process.cwd() } = options;
  const problems = new Map<string, ConfigProblem>();
  const report: Report = (where, what) => problems.set(`${where}: ${what}`, { where, what });

  const file = readFile({ env, configPath, cwd }, report);
  if (file === null) throw new ConfigError([...problems.values()]);
  const { links, ...top } = file;
  const environment = environmentLayer(env, [...SHARED_KEYS, ...LINK_KEYS]);
  const common = fileLayer(top, '', [...SHARED_KEYS, ...LINK_KEYS], report);
  const sections = linkSections(links, report);
  reportSharedAccounts(environment, sections.length, report);

  const shared = parse(SharedSettings, [environment, common], cwd, report);
  const linkConfigs = sections.flatMap(([name, section]) => {
    const own = fileLayer(section, `links.${name}.`, LINK_KEYS, report);
    const settings = parse(LinkSettings, [environment, own, common], cwd, report);
    return settings === null ? [] : [toLinkConfig(name, settings)];
  });
  if (shared === null || problems.size > 0) throw new ConfigError([...problems.values()]);
  return {
    ...shared,
    dataDir: resolve(cwd, shared.dataDir),
    logPersonalData: shared.logPersonalData === 'true',
    links: linkConfigs,
  };
};
