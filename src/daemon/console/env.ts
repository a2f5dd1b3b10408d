import type { LinkConfig } from '../../app/config/link-config.ts';
import type { PageSession } from './sessions.ts';

/** The data that the steps of a request share. */
export type Env = {
  /** The connection of the server. */
  Bindings: { readonly incoming?: { readonly socket: { readonly remoteAddress?: string } } };
  Variables: {
    /** The link in the address. */
    link: LinkConfig;
    /** The session of the request. */
    session: PageSession;
    /** The fields of the form that was sent. */
    form: URLSearchParams;
  };
};
