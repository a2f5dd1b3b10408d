import { randomUUID } from 'node:crypto';
import { forgetLink as forgetStored, type Revocation } from '../../app/forget-link.ts';
import type { LinkConfig } from '../../config/config.ts';
import { SIDES } from '../../contact/side.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { withApp, type CommonOptions } from '../with-app.ts';

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
  withApp(terminal, undefined, options, async ({ app, signal }) => {
    refuseConfigured(app.config.links.find(({ name }) => name === link));
    const tokens = await forgetStored({ app, links: app.config.links, newId: randomUUID, signal }, link);
    if (tokens === null) throw new UsageError(`Nothing is stored of a link named ${link}.`);
    if (options.json) terminal.print(JSON.stringify({ forgotten: { link, tokens } }));
    else terminal.print(format(link, tokens));
    return EXIT.done;
  });
