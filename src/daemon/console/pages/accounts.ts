import { html } from 'hono/html';
import type { SignInMethod } from '../../../app/browser-sign-in.ts';
import type { LinkConfig } from '../../../app/config/link-config.ts';
import type { Side, Sides } from '../../../core/contact/side.ts';
import { button, linkPath, type Html, type PageContext } from '../layout.ts';

/** How a side is signed in at. */
type SignInState = {
  readonly hasToken: boolean;
  readonly way: SignInMethod;
  /** The address of the consent page; null before a sign-in is started. */
  readonly consent: string | null;
};

/** The sign-ins of a link. */
export type SignInView = {
  readonly sides: Sides<SignInState>;
  /** Whether a consent page can redirect the browser to this page. */
  readonly canReturn: boolean;
};

const terminalHelp = ({ name, sides }: LinkConfig, side: Side): Html =>
  html`<p>Run on the machine of the daemon: <code>contact-sync connect ${sides[side].name} ${name}</code></p>`;

/** The state of the sign-in at a side, and how to sign in again. */
export const signInPart = (
  context: PageContext,
  link: LinkConfig,
  side: Side,
  { sides, canReturn }: SignInView,
): Html => {
  const { way, consent, hasToken } = sides[side];
  if (way.kind === 'set') {
    return html`<p class="faint small">
      The configuration sets the token. To sign in again, replace <code>${way.place}</code> there.
    </p>`;
  }
  const state = html`<p class="faint small">${hasToken ? 'A token is stored.' : 'Not signed in.'}</p>`;
  if (way.kind === 'password' || !canReturn) return html`${state} ${terminalHelp(link, side)}`;
  const begin = button(context, {
    action: linkPath(link.name, '/sign-in'),
    label: hasToken ? 'Sign in again' : 'Sign in',
    describes: `at ${link.sides[side].place}`,
    fields: { side },
    ...(hasToken && { look: 'quiet' as const }),
  });
  return html`${state}
    ${
      consent === null
        ? begin
        : html`<p>
            <a class="button" href="${consent}" rel="noreferrer">Continue at ${way.title}</a>
            <span class="faint">This link works once and expires after 10 minutes.</span>
          </p>`
    }
    <details>
      <summary>If the sign-in does not come back</summary>
      <p>
        The registered application must allow the redirect to the address of this page, followed by
        <code>/connected</code>. Otherwise:
      </p>
      ${terminalHelp(link, side)}
    </details>`;
};
