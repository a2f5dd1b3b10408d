import { z } from 'zod';
import type { SourceKeys } from './sources.ts';
import {
  bearerToken,
  choice,
  concurrency,
  databaseUrl,
  earlierKey,
  hostNames,
  listenAddress,
  ownKey,
  pageToken,
  redisUrl,
  retention,
  text,
  webhookUrl,
} from '../../util/values.ts';
import type { Secret } from '../../util/secret.ts';

/** The settings of the process. Editors show the descriptions, `init` copies them, and config/README.md lists them. */
export const SharedSettings = z.object({
  dataDir: text.nullable().default(null).meta({
    description:
      'Directory of the database and the stored tokens. Without it, ./data in a checkout, ~/.local/share/contact-sync elsewhere.',
    example: './data',
  }),
  databaseUrl: databaseUrl.nullable().default(null).meta({
    description:
      'PostgreSQL database for daemons on several hosts. Without it, the state is in SQLite on this machine.',
    example: 'postgres://contact_sync:PASSWORD@127.0.0.1:5432/contact_sync',
  }),
  redisUrl: redisUrl.nullable().default(null).meta({
    description: 'Redis for the job queue of the daemon. Without it, jobs run on timers in the process.',
    example: 'redis://127.0.0.1:6379',
  }),
  credentialsKey: ownKey
    .nullable()
    .default(null)
    .describe(
      'Key that encrypts the stored tokens, required with PostgreSQL. Create one with: openssl rand -base64 32',
    ),
  credentialsKeyOld: earlierKey.nullable().default(null).meta({
    description: 'The previous key, until each link has run once after a change; none if tokens were not encrypted.',
    example: 'the-previous-key-or-none',
  }),
  retention: retention
    .prefault('180d')
    .describe('How long the history for undo and explain is kept: 1d to 3650d, or off to keep everything.'),
  concurrency: concurrency.prefault('10').describe('How many links the daemon syncs at the same time, 1 to 100.'),
  listen: listenAddress
    .prefault('127.0.0.1:8377')
    .describe("Address of the daemon's page, metrics and health checks: host:port, or off."),
  consoleToken: pageToken
    .nullable()
    .default(null)
    .describe('Token to sign in to the page, at least 24 characters. Without it, other machines get no page.'),
  consoleReadonly: choice('true', 'false')
    .prefault('false')
    .describe('Whether the page only displays data and offers no actions.'),
  apiToken: bearerToken.nullable().default(null).meta({
    description: 'Token for programs that change links over HTTP, at least 24 characters. Requires PostgreSQL.',
    example: 'openssl-rand-base64-24-of-its-own',
  }),
  hostedLinkHosts: hostNames.prefault('none').meta({
    description:
      'Hosts that links in the database may name in their own addresses, separated by commas, or none. Other addresses are refused.',
    examples: ['api.service.example', 'crm.example:8443'],
  }),
  notifyUrl: webhookUrl.nullable().default(null).meta({
    description: 'Webhook that is notified when a link halts, pauses, fails for an hour, or recovers.',
    example: 'https://hooks.example/services/T0',
  }),
  notifySecret: ownKey
    .nullable()
    .default(null)
    .describe('Key that signs the requests to the webhook. Create one with: openssl rand -base64 32'),
  notifyFormat: choice('json', 'slack')
    .nullable()
    .default(null)
    .describe('No longer needed: the format follows from the address of the webhook. A value that is set wins.'),
  logLevel: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
    .prefault('info')
    .describe('The lowest severity that is logged.'),
  logFormat: choice('json', 'pretty').prefault('json').describe('One JSON object per line, or readable lines.'),
  logPersonalData: choice('true', 'false')
    .prefault('false')
    .describe('Whether names and addresses of contacts may appear in logs.'),
});

export const SHARED_KEYS: SourceKeys = {
  names: Object.keys(SharedSettings.shape),
  secrets: [
    'databaseUrl',
    'redisUrl',
    'credentialsKey',
    'credentialsKeyOld',
    'notifyUrl',
    'notifySecret',
    'consoleToken',
    'apiToken',
  ],
};

const SLACK_HOSTS = /(?:^|\.)slack(?:-gov)?\.com$/u;
/** Hosts of other programs that take Slack's format, at any path or at the one that ends so. */
const OTHERS: readonly (readonly [host: RegExp, path: RegExp])[] = [
  [/^chat\.googleapis\.com$/u, /^/u],
  [/^(?:.+\.)?discord(?:app)?\.com$/u, /\/slack$/u],
];

/** The format that the address of a webhook takes; that of other programs where there is no address. */
export const notifyFormatOf = (address: Secret | null): 'json' | 'slack' => {
  if (address === null) return 'json';
  const { hostname, pathname } = new URL(address.reveal());
  const isSlack =
    SLACK_HOSTS.test(hostname) || OTHERS.some(([host, path]) => host.test(hostname) && path.test(pathname));
  return isSlack ? 'slack' : 'json';
};
