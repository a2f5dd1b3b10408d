import { html } from 'hono/html';

/** A request for authorization, checked. */
export type AuthorizationRequest = {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly responseType: 'code' | 'token';
  readonly state: string | null;
};

const style = html`<style>
  body {
    max-width: 30rem;
    margin: 4rem auto;
    padding: 0 1rem;
    font-family: system-ui, sans-serif;
    line-height: 1.5;
    overflow-wrap: anywhere;
  }
  button {
    margin: 1rem 0.5rem 0 0;
    padding: 0.5rem 1.5rem;
    font: inherit;
  }
</style>`;

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
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Authorize ${request.clientId}</title>
        ${style}
      </head>
      <body>
        <small>Sandbox of the relationship management service: nothing here is real</small>
        <h1>An application wants to access your account</h1>
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
