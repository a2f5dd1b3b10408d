import { z } from 'zod';
import type { Sides } from '../../core/contact/side.ts';
import { POLICY_NAMES } from '../../core/reconcile/conflict-policy.ts';
import { conflictPolicies } from './conflict-policy.ts';
import { fieldChoice } from './field-choice.ts';
import { buckets } from './patterns.ts';
import type { Keys } from './sources.ts';
import { choice, deleteLimit, duration, interval, pageToken } from '../../util/values.ts';

/** The settings that each link may have of its own. A side is called by its name. */
export const linkSettings = ({ left, right }: Sides<string>) =>
  z.object({
    syncInterval: interval
      .prefault('5m')
      .describe('Time between two syncs; auto: 10 seconds after a change, up to 5 minutes when nothing changes.'),
    sweepInterval: duration
      .prefault('6h')
      .describe('Time between two full listings, which find deletions that a side does not report.'),
    direction: choice('both', `to-${left}`, `to-${right}`)
      .prefault('both')
      .describe('Which sides are written: both, or only one, as to- and the name of the side.'),
    conflictPolicy: conflictPolicies({ left, right })
      .prefault('newest')
      .describe(
        `Which value wins if both sides changed a text: ${POLICY_NAMES.join(', ')}, or a side's name; by field: newest,title=google.`,
      ),
    fields: fieldChoice({ left, right })
      .prefault('default')
      .describe(
        'Which fields are synced, such as default,notes,custom:Budget; one way with :to-google, a fixed winner with =google.',
      ),
    deletePolicy: choice('propagate', 'keep')
      .prefault('propagate')
      .describe('Whether a deletion on one side deletes the contact on the other side, or only unlinks it.'),
    deleteLimit: deleteLimit
      .prefault('10,10%')
      .describe('The most that may be deleted on one side in 24 hours: <n>, <p>% of the linked contacts, or <n>,<p>%.'),
    firstSync: choice('run', 'review')
      .prefault('run')
      .describe('Whether the first sync starts by itself, or waits until you accept its plan.'),
    buckets: buckets
      .prefault('*')
      .describe('Which buckets and labels are synced: names or globs; a later pattern with ! excludes.'),
  });

/** The settings that exist in a link's own section only. */
export const OwnLinkSettings = z.object({
  consoleToken: pageToken.nullable().default(null).meta({
    description: 'Token to sign in to the page of this link only, at least 24 characters.',
    example: 'openssl-rand-base64-24-of-this-link',
  }),
});

export const LINK_KEYS: Keys = {
  names: Object.keys(linkSettings({ left: 'left', right: 'right' }).shape),
  secrets: [],
  mappings: ['conflictPolicy'],
};
export const OWN_LINK_KEYS: Keys = { names: ['consoleToken'], secrets: ['consoleToken'] };
