import { z } from 'zod';
import type { Sides } from '../contact/side.ts';
import { conflictPolicies } from './conflict-policy.ts';
import { fieldChoice, USUAL_CHOICE } from './field-choice.ts';
import type { Keys } from './sources.ts';
import { buckets, choice, deleteLimit, duration, interval, pageToken } from './values.ts';

const USUAL_INTERVAL_MS = 5 * 60_000;

/** The settings that each link may have of its own; its sides' names are what the words for a side are. */
export const linkSettings = ({ left, right }: Sides<string>) =>
  z.object({
    syncInterval: interval
      .default(USUAL_INTERVAL_MS)
      .describe('Time between two runs: 30s, 5m, 6h, 1d; auto: from 10s after a change to 5m.'),
    sweepInterval: duration.default(6 * 3_600_000).describe('Time between two full listings that find deletions.'),
    direction: choice('both', `to-${left}`, `to-${right}`)
      .default('both')
      .describe("Which sides are written: both, or to- and a side's name."),
    conflictPolicy: conflictPolicies({ left, right })
      .default({ usual: 'newest', byField: {} })
      .describe(
        "Who wins a text that both sides changed: newest, longest, ask, or a side's name; by field: newest,title=NAME.",
      ),
    fields: fieldChoice({ left, right })
      .default(USUAL_CHOICE)
      .describe(
        'Which fields are synced: default,notes,custom:NAME; one way with :to-NAME, the winner of a text with =NAME; middleName:joined shows it in the first name; what the service computes, shown at Google, with lastContacted as NAME.',
      ),
    deletePolicy: choice('propagate', 'keep')
      .default('propagate')
      .describe('Whether a deletion on one side deletes on the other too, or only unlinks.'),
    deleteLimit: deleteLimit
      .default({ count: 10, percent: 10 })
      .describe('How much may be destroyed on one side within a day: <n>, <p>% of the linked contacts, or <n>,<p>%.'),
    firstSync: choice('run', 'review')
      .default('run')
      .describe('Whether a first sync begins by itself, or waits until a person has accepted its plan.'),
    buckets: buckets
      .default(['*'])
      .describe('Which buckets and labels take part: names or globs; a later ! pattern excludes.'),
  });

/** The settings that stand in a link's own section, and nowhere else. */
export const OwnLinkSettings = z.object({
  consoleToken: pageToken
    .nullable()
    .default(null)
    .describe('What people sign in at the page with who see this link alone. At least 24 characters.'),
});

export const LINK_KEYS: Keys = {
  names: Object.keys(linkSettings({ left: 'left', right: 'right' }).shape),
  secrets: [],
  mappings: ['conflictPolicy'],
};
export const OWN_LINK_KEYS: Keys = { names: ['consoleToken'], secrets: ['consoleToken'] };
