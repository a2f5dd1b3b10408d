import { z } from 'zod';
import type { SourceKeys } from './sources.ts';
import {
  choice,
  databaseUrl,
  listenAddress,
  ownKey,
  pageToken,
  redisUrl,
  retention,
  text,
  webhookUrl,
} from '../../util/values.ts';

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
  retention: retention
    .prefault('180d')
    .describe('How long the history for undo and explain is kept: 1d to 3650d, or off to keep everything.'),
  listen: listenAddress
    .prefault('127.0.0.1:8377')
    .describe("Address of the daemon's page, metrics and health checks: host:port, or off."),
  consoleToken: pageToken
    .nullable()
    .default(null)
    .describe('Token to sign in to the page, at least 24 characters. Without it, other machines get no page.'),
  notifyUrl: webhookUrl.nullable().default(null).meta({
    description: 'Webhook that is notified when a link halts, pauses, fails for an hour, or recovers.',
    example: 'https://hooks.example/services/T0',
  }),
  logLevel: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
    .prefault('info')
    .describe('The lowest severity that is logged. Logs are readable lines on a terminal, JSON elsewhere.'),
  logPersonalData: choice('true', 'false')
    .transform((value) => value === 'true')
    .prefault('false')
    .describe('Whether names and addresses of contacts may appear in logs.'),
});

export const SHARED_KEYS: SourceKeys = {
  names: Object.keys(SharedSettings.shape),
  secrets: ['databaseUrl', 'redisUrl', 'credentialsKey', 'notifyUrl', 'consoleToken'],
};
