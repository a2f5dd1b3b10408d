import { z } from 'zod';
import type { Sides } from '../contact/side.ts';
import { PROVIDER_KEYS } from './sides.ts';
import { joinKeys, type Keys } from './sources.ts';
import {
  buckets,
  choice,
  concurrency,
  deleteLimit,
  duration,
  earlierKey,
  encryptionKey,
  redisUrl,
  text,
} from './values.ts';

/** The settings of the process. Descriptions are for whoever writes the file: an editor shows them, `init` copies them. */
export const SharedSettings = z.object({
  dataDir: text
    .nullable()
    .default(null)
    .describe(
      'The database and the stored tokens; made with mode 0700. A relative path starts where the program does.',
    ),
  redisUrl: redisUrl
    .nullable()
    .default(null)
    .describe('The job queue of the daemon; without it jobs run on timers in its own process.'),
  credentialsKey: encryptionKey
    .nullable()
    .default(null)
    .describe('Encrypts the tokens that connect stores; make one with: openssl rand -base64 32'),
  credentialsKeyOld: earlierKey
    .nullable()
    .default(null)
    .describe('The key before a change, until every link has run once; none where tokens were stored without one.'),
  concurrency: concurrency.default(10).describe('How many links the daemon works on at the same time.'),
  logLevel: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
    .default('info')
    .describe('The least severe lines that are logged.'),
  logFormat: choice('json', 'pretty').default('json').describe('One JSON object a line, or lines for people.'),
  logPersonalData: choice('true', 'false').default('false').describe('Whether names and addresses may appear in logs.'),
});

/** The settings that each link may have of its own; its sides' names are what the words for a side are. */
export const linkSettings = ({ left, right }: Sides<string>) =>
  z.object({
    syncInterval: duration.default(5 * 60_000).describe('Time between two runs: 30s, 5m, 6h, 1d.'),
    sweepInterval: duration.default(6 * 3_600_000).describe('Time between two full listings that find deletions.'),
    direction: choice('both', `to-${left}`, `to-${right}`)
      .default('both')
      .describe("Which sides are written: both, or to- and a side's name."),
    conflictPolicy: choice('newest', left, right)
      .default('newest')
      .describe("Who wins a field that both sides changed: newest, or a side's name."),
    deletePolicy: choice('propagate', 'keep')
      .default('propagate')
      .describe('Whether a deletion on one side deletes on the other too, or only unlinks.'),
    deleteLimit: deleteLimit
      .default({ count: 10, percent: 10 })
      .describe('How much may be destroyed on one side within a day: <n>, <p>% of the linked contacts, or <n>,<p>%.'),
    buckets: buckets
      .default(['*'])
      .describe('Which buckets and labels take part: names or globs; a later ! pattern excludes.'),
  });

export const SHARED_KEYS: Keys = {
  names: Object.keys(SharedSettings.shape),
  secrets: ['redisUrl', 'credentialsKey', 'credentialsKeyOld'],
};
export const LINK_KEYS: Keys = {
  names: Object.keys(linkSettings({ left: 'left', right: 'right' }).shape),
  secrets: [],
};
/** What may stand in a link's section, beside its sides. */
export const SECTION_KEYS = joinKeys(PROVIDER_KEYS, LINK_KEYS);
export const ALL_KEYS = joinKeys(SHARED_KEYS, SECTION_KEYS);
