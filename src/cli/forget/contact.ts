import { randomUUID } from 'node:crypto';
import { isoOf, systemClock } from '../../util/clock.ts';
import type { LinkConfig } from '../../app/config/config.ts';
import type { Half } from '../../core/contact/half.ts';
import { planForgetting, type Forgetting } from '../../engine/history/forget.ts';
import { forgetJobs } from '../../daemon/jobs/queue-client.ts';
import { underLease } from '../../engine/change-link.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { formatTime } from '../local-time.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { withApp, type CommonOptions, type Opened } from '../with-app.ts';
import { count } from '../../core/view/words.ts';

type Found = { readonly link: LinkConfig; readonly forgetting: Forgetting };

const findIn = async ({ app }: Opened, link: LinkConfig, who: string): Promise<Found | null> => {
  const found = await planForgetting(app.store, link.name, who, systemClock.now());
  const [forgetting, ...others] = found;
  if (forgetting === undefined) return null;
  if (others.length === 0) return { link, forgetting };
  const ids = found.map((one) => one.ids.join(' / ')).join(', ');
  throw new UsageError(
    `Several contacts of the link ${link.name} have that name: ${ids}. Give an id or an email address.`,
  );
};

/** @throws {UsageError} if the contact exists, or its deletion is not completed. */
const refuseLive = ({ link, forgetting }: Found): void => {
  const { standing, isPending, ids } = forgetting;
  const place = ({ side, id }: Half): string => `${link.sides[side].place} (${id})`;
  if (standing.length > 0) {
    throw new UsageError(
      `The contact still exists at ${standing.map(place).join(' and at ')} in the link ${link.name}, so the next run ` +
        `would store it again. Delete it there, run contact-sync sync ${link.name}, then forget it.`,
    );
  }
  if (!isPending) return;
  throw new UsageError(
    `A write to the contact ${ids.join(' / ')} is not completed yet. Run contact-sync sync ${link.name}, then forget it.`,
  );
};

const forgetIn = async ({ app }: Opened, { link, forgetting }: Found, who: string): Promise<Found> => {
  await forgetJobs(app, { link: link.name, texts: [...forgetting.ids, ...forgetting.texts] });
  const parts = { store: app.store, clock: systemClock, newId: randomUUID, holders: app.holders };
  return underLease(parts, link.name, async (token) => {
    // A run may have ended since it was looked at.
    const [now = forgetting] = await planForgetting(app.store, link.name, who, systemClock.now());
    refuseLive({ link, forgetting: now });
    await app.store.commit(link.name, token, now.changes);
    return { link, forgetting: now };
  });
};

const toJson = ({ link, forgetting }: Found) => ({
  link: link.name,
  ids: forgetting.ids,
  writes: forgetting.entries,
  idsKeptUntil: isoOf(forgetting.idsKeptUntilMs),
});

const format = ({ link, forgetting }: Found): string => {
  const { ids, entries, idsKeptUntilMs } = forgetting;
  const what = `${link.name}: deleted what was stored about ${ids.join(' / ')}, with ${count(entries, 'write')}`;
  if (idsKeptUntilMs === null) return what;
  return `${what}. The ids are kept as deleted until ${formatTime(idsKeptUntilMs)}, so that an outdated listing does not create the contact again.`;
};

/**
 * `forget contact WHO [LINK]`: removes what is stored of a contact that is deleted on both sides.
 *
 * @throws {UsageError} if no contact or several contacts match, or if the contact still exists.
 * @throws {LeaseError | QueueError | StoreError} where it could not be done now.
 */
export const forgetContact = (
  terminal: Terminal,
  who: string,
  linkName: string | undefined,
  options: CommonOptions,
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async (opened) => {
    const found: Found[] = [];
    for (const link of opened.links) found.push(...[await findIn(opened, link, who)].filter((one) => one !== null));
    if (found.length === 0) {
      throw new UsageError(
        'Nothing is stored about a contact with this id, email address, phone number or whole name.',
      );
    }
    for (const one of found) refuseLive(one);
    const done: Found[] = [];
    for (const one of found) done.push(await forgetIn(opened, one, who));
    await opened.app.store.compact();
    if (options.json) terminal.print(JSON.stringify({ forgotten: { contacts: done.map(toJson) } }));
    else terminal.print(done.map(format).join('\n'));
    return EXIT.done;
  });
