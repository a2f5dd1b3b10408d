import { html } from 'hono/html';

/** A request for authorization, checked. */
export type AuthorizationRequest = {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly responseType: 'code' | 'token';
  readonly state: string | null;
};

/** The page on which the user accepts or rejects what the application asks for. */
export const consentPage = (request: AuthorizationRequest, email: string) => {
  const hidden = {
    client_id: request.clientId,
    scope: request.scopes.join('+'),
    redirect_uri: request.redirectUri,
    response_type: request.responseType,
    ...(request.state === null ? {} : { state: request.state }),
  };
  return html`<!doctype html>
    <html lang="en">
      <head>
        <title>Authorize ${request.clientId}</title>
      </head>
      <body>
        <h1>Sandbox of the relationship management service</h1>
        <p><b>${request.clientId}</b> asks for access to the account of <b>${email}</b>:</p>
        <ul>
          ${request.scopes.map((scope) => html`<li>${scope}</li>`)}
        </ul>
        <form method="get" action="/oauth2/authorize">
          ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
          <button name="approve" value="yes">Accept</button>
          <button name="approve" value="no">Reject</button>
        </form>
      </body>
    </html>`;
};
