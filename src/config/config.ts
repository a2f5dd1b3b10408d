import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { Side, Sides } from '../contact/side.ts';
import { reportSharedAccounts, reportSharedToken } from './accounts.ts';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { linkSections, type LinkSection } from './link-sections.ts';
import { parseSettings } from './parse.ts';
import type { Secret } from './secret.ts';
import { declareSides, parseSides, PROVIDER_KEYS, withoutSides, type DeclaredSide, type SideConfig } from './sides.ts';
import {
  environmentLayer,
  fileLayer,
  joinKeys,
  parseYaml,
  readText,
  type Environment,
  type Keys,
  type Layer,
  type Report,
  type Section,
} from './sources.ts';
import {
  buckets,
  choice,
  concurrency,
  deleteLimit,
  duration,
  earlierKey,
  encryptionKey,
  redisUrl,
  retention,
  text,
  type DeleteLimit,
} from './values.ts';

export type LinkConfig = {
  readonly name: string;
  readonly sides: Sides<SideConfig>;
  readonly syncIntervalMs: number;
  readonly sweepIntervalMs: number;
  /** Which sides are written. */
  readonly direction: 'both' | 'to-left' | 'to-right';
  readonly conflictPolicy: 'newest' | Side;
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
  /** How long journal, runs and settled conflicts are kept; null: for ever. */
  readonly retentionMs: number | null;
  /** How many links the daemon works on at the same time. */
  readonly concurrency: number;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  readonly logFormat: 'json' | 'pretty';
  readonly logPersonalData: boolean;
  readonly links: readonly LinkConfig[];
};

/** The settings of the process. */
const SharedSettings = z.object({
  dataDir: text.default('./data'),
  redisUrl: redisUrl.nullable().default(null),
  credentialsKey: encryptionKey.nullable().default(null),
  credentialsKeyOld: earlierKey.nullable().default(null),
  retention: retention.default(180 * 86_400_000),
  concurrency: concurrency.default(10),
  logLevel: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  logFormat: choice('json', 'pretty').default('json'),
  logPersonalData: choice('true', 'false').default('false'),
});

/** The settings that each link may have of its own; its sides' names are what the words for a side are. */
const linkSettings = ({ left, right }: Sides<string>) =>
  z.object({
    syncInterval: duration.default(5 * 60_000),
    sweepInterval: duration.default(6 * 3_600_000),
    direction: choice('both', `to-${left}`, `to-${right}`).default('both'),
    conflictPolicy: choice('newest', left, right).default('newest'),
    deletePolicy: choice('propagate', 'keep').default('propagate'),
    deleteLimit: deleteLimit.default({ count: 10, percent: 10 }),
    buckets: buckets.default(['*']),
  });

const SHARED_KEYS: Keys = {
  names: Object.keys(SharedSettings.shape),
  secrets: ['redisUrl', 'credentialsKey', 'credentialsKeyOld'],
};
const LINK_KEYS: Keys = { names: Object.keys(linkSettings({ left: 'left', right: 'right' }).shape), secrets: [] };
/** What may stand in a link's section, beside its sides. */
const SECTION_KEYS = joinKeys(PROVIDER_KEYS, LINK_KEYS);
const ALL_KEYS = joinKeys(SHARED_KEYS, SECTION_KEYS);

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

/** A link as far as its sides are known; null where they have a fault. */
type DeclaredLink = LinkSection & { readonly sides: Sides<DeclaredSide> | null };

type Sources = {
  readonly environment: Layer;
  /** The top of the file. */
  readonly common: Layer;
  readonly cwd: string;
  readonly report: Report;
};

const parseLink = (link: DeclaredLink, { environment, common, cwd, report }: Sources): LinkConfig | null => {
  const { name, where } = link;
  const own = fileLayer(withoutSides(link.section), `${where}.`, SECTION_KEYS, report);
  if (link.sides === null) return null;
  const { left, right } = link.sides;
  const sides = parseSides(link.sides, { environment, file: [own, common], cwd, report });
  const schema = linkSettings({ left: left.name, right: right.name });
  const settings = parseSettings(schema, LINK_KEYS, { layers: [environment, own, common], section: '', cwd, report });
  if (sides === null || settings === null) return null;
  reportSharedToken(where, sides, { environment, report });
  const { syncInterval, sweepInterval, direction, conflictPolicy, ...rest } = settings;
  const sideOf = (word: string): Side => (word === left.name ? 'left' : 'right');
  return {
    ...rest,
    name,
    sides,
    syncIntervalMs: syncInterval,
    sweepIntervalMs: sweepInterval,
    direction: direction === 'both' ? 'both' : `to-${sideOf(direction.slice('to-'.length))}`,
    conflictPolicy: conflictPolicy === 'newest' ? 'newest' : sideOf(conflictPolicy),
  };
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
 * The whole configuration, from the variables, which win, and the YAML file, in which a side's own section wins over its
 * link's, and that one over the top. Throws {@link ConfigError} with every problem at once.
 */
export const loadConfig = (options: LoadOptions = {}): Config => {
  const { env = process.env, configPath = null, cwd = process.cwd() } = options;
  const problems = new Map<string, ConfigProblem>();
  const report: Report = (where, what) => problems.set(`${where}: ${what}`, { where, what });

  const file = readFile({ env, configPath, cwd }, report);
  if (file === null) throw new ConfigError([...problems.values()]);
  const { links, ...top } = file;
  const environment = environmentLayer(env, ALL_KEYS);
  const common = fileLayer(top, '', ALL_KEYS, report);
  const declared = linkSections(links, report).map((link) => ({ ...link, sides: declareSides(link, report) }));
  reportSharedAccounts(
    environment,
    declared.flatMap(({ sides }) => sides ?? []),
    report,
  );

  const sources: Sources = { environment, common, cwd, report };
  const shared = parseSettings(SharedSettings, SHARED_KEYS, {
    layers: [environment, common],
    section: '',
    cwd,
    report,
  });
  const parsed = declared.flatMap((link) => parseLink(link, sources) ?? []);
  if (shared === null || problems.size > 0) throw new ConfigError([...problems.values()]);
  const { retention: retentionMs, ...settings } = shared;
  return {
    ...settings,
    retentionMs,
    dataDir: resolve(cwd, shared.dataDir),
    logPersonalData: shared.logPersonalData === 'true',
    links: parsed,
  };
};
