import type { ContactStory, HalfNow, StoryEntry, Why } from '../sync/explain.ts';
import { explainContact } from '../sync/explain.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { withApp, type CommonOptions } from './with-app.ts';
import { fieldWords, isoOf, SIDE_TITLES } from './words.ts';

type Told = { readonly link: string; readonly story: ContactStory };

const SIDES_IN_WORDS = { google: 'Google', service: 'the service' } as const;

const whyWords = (why: Why): string => {
  switch (why.kind) {
    case 'undo':
      return why.of === null ? 'undo of an earlier run' : `undo of run ${why.of}`;
    case 'conflict':
      return `both sides had changed it; ${SIDES_IN_WORDS[why.winner]} won`;
    case 'first-meeting':
      return `first meeting with ${SIDES_IN_WORDS[why.at]}`;
    case 'edit-beats-delete':
      return `deleted here, edited at ${SIDES_IN_WORDS[why.at]}: the edit wins`;
    case 'new':
    case 'changed':
    case 'deleted':
      return `${why.kind} at ${SIDES_IN_WORDS[why.at]}`;
  }
};

/** In words for scripts too: `why` is told as text, next to what it was told from. */
const toJson = ({ link, story }: Told) => {
  const { google, service, status, entries, conflicts, rejected } = story;
  return {
    link,
    googleId: google.id,
    serviceId: service.id,
    status,
    now: { google, service },
    history: entries.map(({ atMs, why, changes, ...entry }) => ({
      at: isoOf(atMs),
      ...entry,
      why: whyWords(why),
      changes: changes.map((change) => ({ ...change, why: whyWords(change.why) })),
    })),
    openConflicts: conflicts.map(({ run, field, google: atGoogle, service: atService, winner, atMs }) => {
      return { run, field, google: atGoogle, service: atService, winner, at: isoOf(atMs) };
    }),
    rejected: rejected.map(({ side, reason, attempts, retryAtMs }) => {
      return { side, reason, attempts, retryAt: isoOf(retryAtMs) };
    }),
  };
};

const ACTIONS = { create: 'created', update: 'updated', membership: 'moved', delete: 'deleted' } as const;

const stateWords = ({ state, error }: StoryEntry): string => {
  switch (state) {
    case 'done':
      return '';
    case 'failed':
      return ` - refused: ${error ?? 'no reason given'}`;
    case 'abandoned':
      return ' - did not arrive; decided anew by the next run';
    case 'intended':
      return ' - no answer yet';
  }
};

const quote = (value: string): string => (value === '' ? 'nothing' : JSON.stringify(value));

const formatEntry = (entry: StoryEntry): readonly string[] => {
  const { atMs, side, id, action, run, kind, why, changes } = entry;
  const subject = `${ACTIONS[action]} at ${SIDES_IN_WORDS[side]}${id === '' ? '' : ` (${id})`}`;
  const title = `  ${isoOf(atMs)}  ${subject}: ${whyWords(why)}${stateWords(entry)}`;
  const lines = changes.map((change) => {
    const reason = change.why.kind === why.kind ? '' : ` (${whyWords(change.why)})`;
    return `      ${fieldWords(change.field)}: ${quote(change.from)} -> ${quote(change.to)}${reason}`;
  });
  return [title, `      run ${run}${kind === null ? '' : ` (${kind})`}`, ...lines];
};

const formatHalf = (side: 'google' | 'service', { id, state, unsynced }: HalfNow): string => {
  const waiting = unsynced.length === 0 ? '' : `, not synced yet: ${unsynced.map(fieldWords).join(', ')}`;
  return `  ${SIDE_TITLES[side]}: ${id === null ? 'nothing' : `${id} (${state})`}${waiting}`;
};

const formatStory = ({ link, story }: Told, terminal: Terminal): string => {
  const { google, service, status, entries, conflicts, rejected } = story;
  const ids = [google.id, service.id].filter((id) => id !== null).join(' / ') || 'a contact that is gone';
  return [
    `${terminal.style('bold', link)}: ${ids}: ${status}`,
    formatHalf('google', google),
    formatHalf('service', service),
    ...conflicts.map(({ field, winner, google: atGoogle, service: atService }) => {
      const values = `Google ${quote(atGoogle)}, the service ${quote(atService)}`;
      return `  Open conflict: ${fieldWords(field)}: ${values}; ${SIDES_IN_WORDS[winner]} won`;
    }),
    ...rejected.map(({ side, reason, retryAtMs }) => {
      return `  Refused at ${SIDES_IN_WORDS[side]}: ${reason}; tried again after ${isoOf(retryAtMs)}`;
    }),
    entries.length === 0 ? '  No run has written it.' : '  History, the oldest first:',
    ...entries.flatMap(formatEntry),
  ].join('\n');
};

/**
 * `explain CONTACT [LINK]`: a contact's history from the journal and how it stands; asks neither side.
 *
 * @throws {UsageError} where no link knows such a contact.
 */
export const explain = (
  terminal: Terminal,
  text: string,
  linkName: string | undefined,
  options: CommonOptions,
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app, links }) => {
    const told: Told[] = [];
    for (const { name: link } of links) {
      for (const story of await explainContact(app.store, link, text)) told.push({ link, story });
    }
    if (told.length === 0) {
      throw new UsageError('No contact of that id, email address or name has been seen. Spell it as either side does.');
    }
    if (options.json) terminal.print(JSON.stringify({ contacts: told.map(toJson) }));
    else terminal.print(told.map((one) => formatStory(one, terminal)).join('\n\n'));
    return EXIT.done;
  });
