import { randomUUID } from 'node:crypto';
import type { App } from '../../app/app.ts';
import { systemClock } from '../../clock.ts';
import type { Config, LinkConfig } from '../../config/config.ts';
import type { SideConfig } from '../../config/sides.ts';
import { SIDES } from '../../contact/side.ts';
import { forgetJobs } from '../../jobs/queue-client.ts';
import { RemoteError } from '../../providers/errors.ts';
import { providerNamed } from '../../providers/registry.ts';
import { CredentialsError } from '../../store/credentials.ts';
import { underLease } from '../../sync/change-link.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { withApp, type CommonOptions, type Opened } from '../with-app.ts';

/** What became of a stored token. */
type Revocation = {
  /** The name of the side that it was stored for. */
  readonly side: string;
  readonly revoked: boolean;
  /** Why not, and what to do; null where it was. */
  readonly reason: string | null;
};

/** The side as a configuration has it: the link's own, else one of that name in another link. */
const sideNamed = ({ links }: Config, link: string, name: string): SideConfig | null => {
  const own = links.filter((each) => each.name === link);
  const sides = [...own, ...links].flatMap((each) => SIDES.map((side) => each.sides[side]));
  return sides.find((side) => side.name === name) ?? null;
};

/** The other link that works with the same account: a grant is one for all its tokens. */
const sharedWith = async ({ store }: App, link: string): Promise<string | null> => {
  const links = await store.links();
  const accounts = (name: (each: string) => boolean) =>
    links.filter((each) => name(each.name)).map((each) => [each.name, Object.values(each.accounts)] as const);
  const own = new Set(
    accounts((name) => name === link)
      .flatMap(([, ids]) => ids)
      .filter((id) => id !== null),
  );
  const [other] =
    accounts((name) => name !== link).find(([, ids]) => ids.some((id) => id !== null && own.has(id))) ?? [];
  return other ?? null;
};

const revoke = async ({ app, signal }: Opened, link: string, name: string): Promise<Revocation> => {
  const kept = (reason: string): Revocation => ({ side: name, revoked: false, reason });
  const side = sideNamed(app.config, link, name);
  if (side === null) return kept('The configuration does not say any more whose it was. Take it back at the account.');
  const { signIn, title } = providerNamed(side.provider);
  const byHand = `Take it back at ${signIn.revokedAt}.`;
  if (signIn.revoke === null) return kept(`${title} offers no way to revoke it. ${byHand}`);
  const other = await sharedWith(app, link);
  if (other !== null)
    return kept(`The link ${other} works with the same account, and would lose its token too. ${byHand}`);
  try {
    const stored = await app.vault.read(link, name);
    if (stored !== null) await signIn.revoke(side.settings, stored.token, { clock: systemClock, signal });
    return { side: name, revoked: true, reason: null };
  } catch (error) {
    if (error instanceof CredentialsError || error instanceof RemoteError) return kept(`${error.message}. ${byHand}`);
    throw error;
  }
};

/** @throws {UsageError} where a daemon with this configuration would begin the link again at once. */
const refuseConfigured = (link: LinkConfig | undefined): void => {
  if (link === undefined || SIDES.every((side) => link.sides[side].token === null)) return;
  throw new UsageError(
    `The configuration holds a token of the link ${link.name}, so the next run would store everything again. Take the ` +
      'link, or its tokens, out of the configuration, restart the daemon, then forget it.',
  );
};

const format = (link: string, tokens: readonly Revocation[]): string =>
  [
    `Forgot the link ${link}: its contacts, history, runs and tokens.`,
    ...tokens.map(
      ({ side, reason }) => `  ${side}: ${reason === null ? 'token revoked' : `token not revoked. ${reason}`}`,
    ),
    'The contacts at both sides stay as they are.',
  ].join('\n');

/**
 * `forget link LINK`: removes everything that is stored of a link, and revokes its stored tokens where that can be done.
 *
 * @throws {UsageError} where nothing is stored of such a link, or its tokens stand in the configuration.
 * @throws {LeaseError | QueueError | StoreError | CredentialsError} where it could not be done now.
 */
export const forgetLink = (terminal: Terminal, link: string, options: CommonOptions): Promise<ExitCode> =>
  withApp(terminal, undefined, options, async (opened) => {
    const { app } = opened;
    const stored = (await app.vault.names()).filter((token) => token.link === link);
    const isKnown = (await app.store.links()).some(({ name }) => name === link);
    if (!isKnown && stored.length === 0) throw new UsageError(`Nothing is stored of a link named ${link}.`);
    refuseConfigured(app.config.links.find(({ name }) => name === link));
    const parts = { store: app.store, clock: systemClock, newId: randomUUID, holders: app.holders };
    const tokens = await underLease(parts, link, async (token) => {
      await forgetJobs(app.config, { link, texts: null });
      const revocations: Revocation[] = [];
      for (const { side } of stored) revocations.push(await revoke(opened, link, side));
      if (stored.length > 0) await app.vault.remove(link);
      await app.store.commit(link, token, [{ kind: 'forget-link' }]);
      return revocations;
    });
    await app.store.compact();
    if (options.json) terminal.print(JSON.stringify({ forgotten: { link, tokens } }));
    else terminal.print(format(link, tokens));
    return EXIT.done;
  });
