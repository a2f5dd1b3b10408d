import { Hono, type Context } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import { HostedLinkError, type LinkManager, type ListedLink } from '../links/hosted-links.ts';
import { ConfigError, type ConfigProblem } from '../../util/config-error.ts';
import type { Secret } from '../../util/secret.ts';
import { readBody } from '../../util/http.ts';
import { StoreError } from '../../store/store.ts';
import { AddBody, API, ChangeBody, RemoveQuery } from './api.ts';

type ApiParts = {
  readonly links: LinkManager;
  /** The token that every request must have. */
  readonly token: Secret;
  /** Called when a request fails with an unexpected error. */
  readonly onError: (path: string, error: unknown) => void;
};

/** The largest body. The settings of any link are smaller. */
const LARGEST_BODY_BYTES = 64 * 1024;
const DEEPEST_BODY = 20;

const errorAnswer = (message: string, problems: readonly ConfigProblem[] = []) => ({ error: { message, problems } });

/** An invalid request. */
class RequestError extends Error {
  readonly status: ContentfulStatusCode;

  constructor(status: ContentfulStatusCode, message: string) {
    super(message);
    this.name = 'RequestError';
    this.status = status;
  }
}

const STATUS_OF: Readonly<Record<HostedLinkError['fault'], ContentfulStatusCode>> = {
  exists: 409,
  busy: 409,
  unknown: 404,
  'in the file': 404,
};

const answerError = (error: Error, context: Context, onError: ApiParts['onError']): Response => {
  if (error instanceof HTTPException) return error.getResponse();
  if (error instanceof RequestError) return context.json(errorAnswer(error.message), error.status);
  if (error instanceof HostedLinkError) return context.json(errorAnswer(error.message), STATUS_OF[error.fault]);
  if (error instanceof ConfigError) return context.json(errorAnswer(error.message, error.problems), 422);
  onError(context.req.path, error);
  if (error instanceof StoreError) return context.json(errorAnswer(error.message), 503);
  return context.json(errorAnswer('The request failed. See the log of the daemon.'), 500);
};

/** Parses input by the schema. Throws {@link RequestError}. */
const parsed = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${path.join('.') || 'the whole'}: ${message}`);
  throw new RequestError(400, `The request is not of the documented shape. ${faults.join('; ')}.`);
};

const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // The cause is dropped, because it quotes the input.
    throw new RequestError(400, 'The body is no JSON.');
  }
};

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/** Whether a value has the key `__proto__` at any depth. JSON.parse creates it as an own key, which schemas drop silently. */
const hasPrototypeKey = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototypeKey));

const bodyOf = async <Schema extends z.ZodType>(schema: Schema, context: Context): Promise<z.output<Schema>> => {
  if (context.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    throw new RequestError(415, 'The body is to be of the type application/json.');
  }
  const text = await readBody(context.req.raw, LARGEST_BODY_BYTES);
  if (text === null) throw new RequestError(413, 'The body is larger than any settings are.');
  const body = asJson(text);
  if (isDeeper(body, DEEPEST_BODY)) throw new RequestError(400, 'The body is nested deeper than any settings are.');
  if (hasPrototypeKey(body)) throw new RequestError(400, 'The key __proto__ is not a setting. Remove it.');
  return parsed(schema, body);
};

const toJson = ({ name, ...link }: ListedLink) => ({ link: name, ...link });

const nameIn = (context: Context): string => context.req.param('link') ?? '';

const findLink = async ({ links }: ApiParts, name: string): Promise<ListedLink> => {
  const found = (await links.list()).find((link) => link.name === name);
  if (found === undefined) throw new HostedLinkError('unknown', `There is no link named ${name}.`);
  return found;
};

/** `/api/v1/links`: the links in the database, for programs with API_TOKEN. */
export const apiRoutes = (parts: ApiParts): Hono => {
  const { links, token, onError } = parts;
  const missing = errorAnswer('Show the token of API_TOKEN: Authorization: Bearer TOKEN.');
  const routes = new Hono();
  routes.onError((error, context) => answerError(error, context, onError));
  routes.use(
    '/api/*',
    bearerAuth({
      token: token.reveal(),
      realm: 'contact-sync',
      noAuthenticationHeader: { message: missing },
      invalidAuthenticationHeader: { message: missing },
      invalidToken: { message: errorAnswer('That is not the token of API_TOKEN.') },
    }),
  );
  return routes
    .get(API.listLinks.path, async (context) => context.json({ links: (await links.list()).map(toJson) }))
    .post(API.addLink.path, async (context) => {
      const { link, settings } = await bodyOf(AddBody, context);
      return context.json(toJson(await links.add(link, settings)), 201);
    })
    .get(API.readLink.path, async (context) => context.json(toJson(await findLink(parts, nameIn(context)))))
    .patch(API.changeLink.path, async (context) => {
      const { settings } = await bodyOf(ChangeBody, context);
      return context.json(toJson(await links.set(nameIn(context), settings)));
    })
    .delete(API.removeLink.path, async (context) => {
      const { forget } = parsed(RemoveQuery, context.req.query());
      const { name, tokens } = await links.remove(nameIn(context), { forget: forget === 'true' });
      return context.json({ link: name, forgotten: tokens !== null, tokens: tokens ?? [] });
    })
    .all('/api/*', (context) => context.json(errorAnswer('Not found.'), 404));
};
