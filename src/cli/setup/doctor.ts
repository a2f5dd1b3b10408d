import { createApp, type App } from '../../app/app.ts';
import { readConfig, type Config } from '../../app/config/config.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { StoreError } from '../../store/store.ts';
import { systemClock } from '../../util/clock.ts';
import { ConfigError } from '../../util/config-error.ts';
import { DirectoryError } from '../../util/files.ts';
import { chooseLinks } from '../command/configuration.ts';
import { EXIT, worstExitCode, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, JSON_OPTION, withLinks, type Define } from '../command/options.ts';
import { createCommandEvents, listenForInterrupt, type CommonOptions } from '../command/with-app.ts';
import { formatTable } from '../terminal/layout.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { checkLink, judgeSameAccounts, type LinkReport } from './check-link.ts';
import {
  checkDataDirectory,
  checkRedis,
  checkStore,
  sendTestNotification,
  faultOfConfiguration,
  faultOfStore,
  fineConfiguration,
} from './check-process.ts';
import type { Finding } from './finding.ts';

type DoctorOptions = CommonOptions & {
  /** Sends a test notification. */
  readonly notify?: boolean;
};

const checkLinks = async (
  app: App,
  links: readonly LinkConfig[],
  { asksSides }: { readonly asksSides: boolean },
): Promise<readonly Finding[]> => {
  using interrupt = listenForInterrupt();
  const { signal } = interrupt;
  const reports: LinkReport[] = [];
  for (const link of links) {
    reports.push(await checkLink(app, link, { now: () => systemClock.now(), signal, asksSides }));
  }
  return [...reports.flatMap((report) => report.findings), ...judgeSameAccounts(reports)];
};

const open = (config: Config, terminal: Terminal, options: CommonOptions): App | StoreError | DirectoryError => {
  try {
    return createApp(config, createCommandEvents(config, terminal, { json: options.json ?? false }));
  } catch (error) {
    if (error instanceof StoreError || error instanceof DirectoryError) return error;
    throw error;
  }
};

const examine = async (
  terminal: Terminal,
  linkName: string | undefined,
  options: DoctorOptions,
): Promise<readonly Finding[]> => {
  let config: Config;
  let links: readonly LinkConfig[];
  try {
    const read = readConfig(options);
    if (read.misspelt !== null) terminal.warn(read.misspelt);
    ({ config } = read);
    links = chooseLinks(config, linkName);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(faultOfConfiguration);
    throw error;
  }
  const redis = await checkRedis(config.redisUrl);
  const notices = options.notify ? [await sendTestNotification(config)] : [];
  const process = [...(await checkDataDirectory(config)), ...notices];
  const others = linkName === undefined ? config.faultyLinks : [];
  const faulty = others.flatMap(({ problems }) => problems.map(faultOfConfiguration));
  const early = [fineConfiguration(config), ...faulty, ...process, redis];
  const opened = open(config, terminal, options);
  if (opened instanceof Error) return [...early, faultOfStore(opened)];
  await using app = opened;
  const store = await checkStore(app);
  // Links cannot be checked without the store, which has their state.
  if (store.level === 'error') return [...early, store];
  // Without Redis no request is sent: the rate limit is shared there.
  const asksSides = redis.code !== EXIT.unavailable;
  return [...early, store, ...(await checkLinks(app, links, { asksSides }))];
};

const WORDS = { ok: 'ok', warning: 'warn', error: 'FAIL' } as const;
const COLOURS = { ok: 'green', warning: 'yellow', error: 'red' } as const;

const formatFindings = (findings: readonly Finding[], terminal: Terminal): string => {
  const rows = findings.map(({ level, name, link, detail, remedy }) => {
    const text = remedy === null ? detail : `${detail.replace(/\.$/u, '')}. ${remedy}`;
    return [terminal.style(COLOURS[level], WORDS[level]), link === null ? name : `${link} ${name}`, text];
  });
  return formatTable(rows);
};

/** One check of `doctor --json`. */
const toJson = ({ name, link, level, detail, remedy }: Finding) => {
  return { name, link, ok: level !== 'error', level, detail, remedy };
};

/** `doctor [LINK]`: prints one line for each check, with the remedy. Exits 0 if no check failed. */
export const doctor = async (
  terminal: Terminal,
  linkName: string | undefined,
  options: DoctorOptions,
): Promise<ExitCode> => {
  const findings = await examine(terminal, linkName, options);
  if (options.json) terminal.print(JSON.stringify({ checks: findings.map(toJson) }));
  else terminal.print(formatFindings(findings, terminal));
  return worstExitCode(findings.map(({ code }) => code));
};

/** Defines `doctor`. */
export const define: Define = (command, call) => {
  withLinks(command)
    .option('--notify', 'also send a test notification to NOTIFY_URL')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('doctor', 'doctor --notify'))
    .action(actionOf(call, { checks: [] }, doctor));
};
