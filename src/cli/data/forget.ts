import { randomUUID } from 'node:crypto';
import type { LinkConfig } from '../../app/config/link-config.ts';
import type { Half } from '../../core/contact/half.ts';
import { SIDES } from '../../core/contact/side.ts';
import { count } from '../../core/view/words.ts';
import { forgetJobs } from '../../daemon/jobs/queue-client.ts';
import { forgetLink as forgetStored, type Revocation } from '../../daemon/links/forget-link.ts';
import { underLease } from '../../engine/change-link.ts';
import { planForgetting, type Forgetting } from '../../engine/history/forget.ts';
import { isoOf, systemClock } from '../../util/clock.ts';
import { EXIT, UsageError, type ExitCode } from '../command/exit-codes.ts';
import { examples, JSON_OPTION, setFailureDocument, withLinks, type Define } from '../command/options.ts';
import { leasePartsOf, withApp, type CommonOptions, type Opened } from '../command/with-app.ts';
import { formatTime } from '../terminal/layout.ts';
import { mayDelete } from '../terminal/prompts.ts';
import type { Terminal } from '../terminal/terminal.ts';

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
  const parts = leasePartsOf(app);
  return underLease(parts, link.name, async (token) => {
    // A run may have changed the contact since the first read.
    const [now = forgetting] = await planForgetting(app.store, link.name, who, systemClock.now());
    refuseLive({ link, forgetting: now });
    await app.store.commit(link.name, token, now.changes);
    return { link, forgetting: now };
  });
};

const contactToJson = ({ link, forgetting }: Found) => ({
  link: link.name,
  ids: forgetting.ids,
  writes: forgetting.entries,
  idsKeptUntil: isoOf(forgetting.idsKeptUntilMs),
});

const formatContacts = ({ link, forgetting }: Found): string => {
  const { ids, entries, idsKeptUntilMs } = forgetting;
  const what = `${link.name}: deleted what was stored about ${ids.join(' / ')}, with ${count(entries, 'write')}`;
  if (idsKeptUntilMs === null) return what;
  return `${what}. The ids are kept as deleted until ${formatTime(idsKeptUntilMs)}, so that an outdated listing does not create the contact again.`;
};

/**
 * `forget contact CONTACT [LINK]`: deletes the stored data of a contact that is deleted on both sides.
 *
 * @throws {UsageError} if no contact or several contacts match, or if the contact still exists.
 * @throws {LeaseError | QueueError | StoreError} if it is not possible now.
 */
const forgetContact = (
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
    if (options.json) terminal.print(JSON.stringify({ forgotten: { contacts: done.map(contactToJson) } }));
    else terminal.print(done.map(formatContacts).join('\n'));
    return EXIT.done;
  });

type ForgetLinkOptions = CommonOptions & { readonly yes?: boolean };

/** @throws {UsageError} if a daemon with this configuration would sync the link again. */
const refuseConfigured = (link: LinkConfig | undefined): void => {
  if (link === undefined || SIDES.every((side) => link.sides[side].token === null)) return;
  throw new UsageError(
    `The configuration has a token of the link ${link.name}, so the next run would store everything again. Remove the ` +
      'link or its tokens from the configuration, restart the daemon, then forget the link.',
  );
};

const formatLink = (link: string, tokens: readonly Revocation[]): string =>
  [
    `Deleted what was stored about the link ${link}: contacts, history, runs and tokens.`,
    ...tokens.map(
      ({ side, reason }) => `  ${side}: ${reason === null ? 'token revoked' : `token not revoked. ${reason}`}`,
    ),
    'The contacts on both sides are unchanged.',
  ].join('\n');

/** The data that is deleted, for the confirmation. Throws {@link UsageError} if nothing is stored about the link. */
const stepOf = async ({ store, vault }: Opened['app'], link: string) => {
  const tokens = (await vault.names()).filter((token) => token.link === link).length;
  const isKnown = (await store.links()).some(({ name }) => name === link);
  if (!isKnown && tokens === 0) throw nothingStored(link);
  const { pairs } = await store.counts(link);
  const what = `${count(pairs, 'linked contact')}, its history and ${count(tokens, 'token')}`;
  return {
    question: `Delete what is stored here about the link ${link}: ${what}?`,
    effect: `This deletes what is stored here about the link ${link}: ${what}.`,
    command: `contact-sync forget link ${link} --yes`,
  };
};

const nothingStored = (link: string): UsageError => new UsageError(`Nothing is stored about a link named ${link}.`);

/**
 * `forget link LINK`: deletes all stored data of a link, and revokes its stored tokens if possible.
 *
 * @throws {UsageError} if nothing is stored, if the configuration has tokens of the link, or if `--yes` is needed.
 * @throws {LeaseError | QueueError | StoreError | CredentialsError} if it is not possible now.
 */
const forgetLink = (terminal: Terminal, link: string, options: ForgetLinkOptions): Promise<ExitCode> =>
  withApp(terminal, undefined, options, async ({ app, signal }) => {
    refuseConfigured(app.config.links.find(({ name }) => name === link));
    if (!(await mayDelete(terminal, options, await stepOf(app, link)))) return EXIT.done;
    const tokens = await forgetStored({ app, links: app.config.links, newId: randomUUID, signal }, link);
    if (tokens === null) throw nothingStored(link);
    if (options.json) terminal.print(JSON.stringify({ forgotten: { link, tokens } }));
    else terminal.print(formatLink(link, tokens));
    return EXIT.done;
  });

const CONTACT_HELP = `
The contact must be deleted on both sides first. Otherwise the next sync would store it again.`;

/** Defines `forget contact` and `forget link`. */
export const defineForget: Define = (command, call) => {
  command.helpCommand(false).addHelpText('after', examples('forget contact ada@example.org', 'forget link home'));
  withLinks(
    command
      .command('contact')
      .description('Delete what is stored about a contact that is deleted on both sides.')
      .argument('<CONTACT>', 'id on either side, email address, phone number, or whole name'),
  )
    .option(...JSON_OPTION)
    .addHelpText('after', CONTACT_HELP)
    .addHelpText('after', examples('forget contact ada@example.org', 'forget contact people/c1 work'))
    .action(async (contact: string, link: string | undefined, options: CommonOptions) => {
      setFailureDocument(call, options, { forgotten: null });
      call.code = await forgetContact(call.terminal, contact, link, options);
    });
  command
    .command('link')
    .description('Delete the history, contacts and tokens of a link. Tokens are revoked if possible.')
    .argument('<LINK>', 'name of the link; it may be missing from the configuration')
    .option('-y, --yes', 'do not ask; required in scripts')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('forget link home', 'forget link home --yes'))
    .action(async (link: string, options: ForgetLinkOptions) => {
      setFailureDocument(call, options, { forgotten: null });
      call.code = await forgetLink(call.terminal, link, options);
    });
};
