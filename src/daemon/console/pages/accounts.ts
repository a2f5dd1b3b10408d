import { html } from 'hono/html';
import type { SignInMethod } from '../../../app/browser-sign-in.ts';
import type { LinkConfig } from '../../../app/config/link-config.ts';
import type { Side, Sides } from '../../../core/contact/side.ts';
import { button, linkPath, type Html, type PageContext } from '../layout.ts';

/** The sign-ins of a link. */
export type SignInView = {
  readonly sides: Sides<{ readonly hasToken: boolean; readonly way: SignInMethod }>;
  /** Whether a consent page can redirect the browser to this page. */
  readonly canReturn: boolean;
};

/** How to sign in at a side: a button, or the command for a terminal. `look`: that of the button. */
export const signInPart = (
  context: PageContext,
  { name, sides }: LinkConfig,
  side: Side,
  signIns: SignInView,
  look?: 'first',
): Html => {
  const { way, hasToken } = signIns.sides[side];
  if (way.kind === 'set') {
    return html`<p class="faint small">
      The token is set in <code>${way.place}</code>. To sign in again, replace it there.
    </p>`;
  }
  if (way.kind === 'password' || !signIns.canReturn) {
    return html`<p class="faint small">
      To sign in${hasToken ? ' again' : ''}, run on the machine of the daemon:
      <code>contact-sync connect ${sides[side].name} ${name}</code>
    </p>`;
  }
  return html`${button(context, {
      action: linkPath(name, '/sign-in'),
      label: hasToken ? 'Sign in again' : 'Sign in',
      describes: `at ${sides[side].place}`,
      fields: { side },
      ...(look !== undefined && { look }),
    })}
    <details class="faint small">
      <summary>If the sign-in does not come back</summary>
      <p>
        The registered application must allow the redirect to the address of this page, followed by
        <code>/connected</code>. Otherwise run <code>contact-sync connect ${sides[side].name} ${name}</code>.
      </p>
    </details>`;
};
