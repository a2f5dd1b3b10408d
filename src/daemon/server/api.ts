import { z } from 'zod';

// The HTTP API as data: the source of the routes and of the OpenAPI document.

const problem = z.strictObject({
  where: z.string().describe('The key or variable.'),
  what: z.string().describe('What is wrong with it and what to do.'),
});

const LinkAnswer = z
  .strictObject({
    link: z.string().describe("The link's name."),
    keptIn: z
      .enum(['file', 'database'])
      .describe('Where its settings are stored. Settings of the file cannot be changed here.'),
    sides: z
      .tuple([z.string(), z.string()])
      .nullable()
      .describe('How its sides are called; null where that is not known.'),
    settings: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('Its settings, with [secret] in the place of each secret; null for a link of the file.'),
    problems: z.array(problem).describe('Why the daemon does not serve it; empty if it does.'),
  })
  .meta({ id: 'Link' });

export const LinksAnswer = z.strictObject({ links: z.array(LinkAnswer) }).meta({ id: 'Links' });

export const RemovedAnswer = z
  .strictObject({
    link: z.string(),
    forgotten: z.boolean().describe('Whether what was stored of it was removed too.'),
    tokens: z
      .array(z.strictObject({ side: z.string(), revoked: z.boolean(), reason: z.string().nullable() }))
      .describe('What became of its stored tokens, where it was forgotten.'),
  })
  .meta({ id: 'Removed' });

const ErrorAnswer = z
  .strictObject({
    error: z.strictObject({
      message: z.string().describe('What happened and what to do.'),
      problems: z.array(problem).describe('Each fault of the settings; empty for any other error.'),
    }),
  })
  .meta({ id: 'Error' });

/** The settings of a link, which are checked like those of the configuration file. */
const settings = z.record(z.string(), z.unknown());

export const AddBody = z.strictObject({ link: z.string().describe("The link's name."), settings });
export const ChangeBody = z.strictObject({ settings });
export const RemoveQuery = z.strictObject({ forget: z.enum(['true', 'false']).default('false') });

type ApiOperation = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** In the syntax of Hono. */
  readonly path: string;
  readonly summary: string;
  readonly body: z.ZodObject | null;
  readonly query: z.ZodObject | null;
  readonly answers: Readonly<Record<number, { readonly about: string; readonly schema: z.ZodType }>>;
};

const error = (about: string) => ({ about, schema: ErrorAnswer });

/** The possible answers to every request. */
const ANY = {
  400: error('The request is not of the documented shape.'),
  401: error('The token is missing or is another one.'),
  500: error('The request failed. See the log of the daemon.'),
  503: error('The database does not answer now.'),
};
const UNKNOWN = error('The database keeps no link of that name, or the file does.');
const WRONG = error('The settings cannot be used; every problem is named.');
const BODY = {
  413: error('The body is larger than any settings are.'),
  415: error('The body is not application/json.'),
  422: WRONG,
};

const one = '/api/v1/links/:link';

/** All operations by name. */
export const API = {
  listLinks: {
    method: 'get',
    path: '/api/v1/links',
    summary: 'Every link, of the configuration file and of the database.',
    body: null,
    query: null,
    answers: { 200: { about: 'The links.', schema: LinksAnswer }, ...ANY },
  },
  addLink: {
    method: 'post',
    path: '/api/v1/links',
    summary: 'Stores a link in the database. Every daemon starts to sync it within seconds.',
    body: AddBody,
    query: null,
    answers: {
      201: { about: 'The link.', schema: LinkAnswer },
      409: error('The database keeps a link of that name already, or the data of one is being deleted.'),
      ...BODY,
      ...ANY,
    },
  },
  readLink: {
    method: 'get',
    path: one,
    summary: 'One link.',
    body: null,
    query: null,
    answers: { 200: { about: 'The link.', schema: LinkAnswer }, 404: UNKNOWN, ...ANY },
  },
  changeLink: {
    method: 'patch',
    path: one,
    summary: 'Changes settings of a link by a JSON merge patch (RFC 7396): null removes one.',
    body: ChangeBody,
    query: null,
    answers: { 200: { about: 'The link.', schema: LinkAnswer }, 404: UNKNOWN, ...BODY, ...ANY },
  },
  removeLink: {
    method: 'delete',
    path: one,
    summary:
      'Removes a link from the database: no further run starts. Its stored data stays unless it is to be ' +
      'forgotten, which takes some seconds.',
    body: null,
    query: RemoveQuery,
    answers: {
      200: { about: 'What was removed.', schema: RemovedAnswer },
      404: UNKNOWN,
      409: error(
        'The link is removed, but one of its runs has not ended, so its data was not deleted. Try again later.',
      ),
      ...ANY,
    },
  },
} as const satisfies Readonly<Record<string, ApiOperation>>;
