import { people, type people_v1 } from '@googleapis/people';
import { OAuth2Client } from 'google-auth-library';
import { fetch, type Dispatcher, type RequestInit } from 'undici';

export type GoogleClientOptions = {
  readonly rootUrl: string;
  /** Null: Google's own. */
  readonly tokenUrl: string | null;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
  /** Every request, token requests too, goes through it. */
  readonly dispatcher: Dispatcher;
};

/** Google's own client, which neither retries nor refreshes on its own account. */
export type GoogleClient = {
  readonly people: people_v1.People;
  /** Goes into the options of every call: only there a path in the URL survives. */
  readonly rootUrl: string;
  /** Sees to it that an access token is at hand; `force` gets a new one. Throws what the token request threw. */
  authorise(force: boolean): Promise<void>;
};

/** Makes the client of one account. Sends nothing. */
export const createGoogleClient = (options: GoogleClientOptions): GoogleClient => {
  const auth = new OAuth2Client({
    clientId: options.clientId,
    clientSecret: options.clientSecret,
    ...(options.tokenUrl === null ? {} : { endpoints: { oauth2TokenUrl: options.tokenUrl } }),
    useAuthRequestParameters: false,
    transporterOptions: {
      fetchImplementation: fetchThrough(options.dispatcher),
      responseType: 'json',
      // Merged into every request, the token request's own retry settings included.
      retryConfig: { retry: 0 },
    },
  });
  auth.setCredentials({ refresh_token: options.refreshToken });
  return {
    people: people({ version: 'v1', auth, retry: false }),
    rootUrl: options.rootUrl,
    authorise: async (force) => {
      await (force ? auth.refreshAccessToken() : auth.getAccessToken());
    },
  };
};

const fetchThrough = (dispatcher: Dispatcher): typeof globalThis.fetch => {
  // The client's types name the built-in fetch, whose options are the package's own without the dispatcher.
  return (input, init) => {
    return fetch(input instanceof Request ? input.url : input, { ...(init as RequestInit | undefined), dispatcher });
  };
};
