import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { API } from '../src/daemon/server/api.ts';
import { configSchema } from './config-schema.ts';

/** Where the OpenAPI document of the HTTP API is kept. */
export const API_FILE = join(import.meta.dirname, 'schemas/api.openapi.json');

type Json = Record<string, unknown>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema of the configuration file as one of the API: with other references, and without settings that name a file. */
const asSettings = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asSettings);
  if (!isJson(value)) return typeof value === 'string' ? value.replace('#/definitions/', SCHEMAS) : value;
  const entries = Object.entries(value).filter(([key]) => !key.endsWith('File'));
  return Object.fromEntries(entries.map(([key, inner]) => [key, asSettings(inner)]));
};

const SCHEMAS = '#/components/schemas/';

/** The settings of a link, as the schema of the configuration file has them. */
const settingsSchemas = (): Json => {
  const { definitions } = z
    .object({ definitions: z.record(z.string(), z.record(z.string(), z.unknown())) })
    .parse(JSON.parse(configSchema()));
  const { link, namedLink: _named, ...others } = definitions;
  const settings = Object.entries({ LinkSettings: link, ...others });
  return Object.fromEntries(settings.map(([name, schema]) => [name, asSettings(schema)]));
};

const refTo = (name: string): Json => ({ $ref: `${SCHEMAS}${name}` });

/** A shape by its name where it has one. */
const schemaOf = (schema: z.ZodType): Json => {
  const { $schema: _draft, ...json } = z.toJSONSchema(schema, { io: 'input' });
  return json;
};

const content = (schema: Json): Json => ({ 'application/json': { schema } });

type Operation = (typeof API)[keyof typeof API];

const parametersOf = ({ path, query }: Operation): Json[] => {
  const names = [...path.matchAll(/:(\w+)/gu)].map(([, name]) => name);
  const inPath = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    return { name, in: 'query', required: false, schema: schemaOf(schema) };
  });
  return [...inPath, ...inQuery];
};

const bodyOf = ({ body }: Operation): Json => {
  if (body === null) return {};
  const schema = schemaOf(body);
  const properties = { ...(isJson(schema['properties']) ? schema['properties'] : {}), settings: refTo('LinkSettings') };
  return { requestBody: { required: true, content: content({ ...schema, properties }) } };
};

const answersOf = ({ answers }: Operation): Json =>
  Object.fromEntries(
    Object.entries(answers).map(([status, { about, schema }]) => {
      const name = z.globalRegistry.get(schema)?.id;
      if (name === undefined) throw new Error(`The answer ${status} has no name.`);
      return [status, { description: about, content: content(refTo(name)) }];
    }),
  );

const pathsOf = (): Json => {
  const paths: Record<string, Json> = {};
  for (const [operationId, operation] of Object.entries(API)) {
    const path = operation.path.replaceAll(/:(\w+)/gu, '{$1}');
    const parameters = parametersOf(operation);
    paths[path] = {
      ...paths[path],
      [operation.method]: {
        operationId,
        summary: operation.summary,
        ...(parameters.length > 0 && { parameters }),
        ...bodyOf(operation),
        responses: answersOf(operation),
      },
    };
  }
  return paths;
};

/** Every shape that an answer has, by its name. */
const answerSchemas = (): Json => {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { uri: (id) => `${SCHEMAS}${id}` });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _draft, $id: _id, ...schema }]) => [name, schema]),
  );
};

/** The OpenAPI document of the HTTP API, made from the schemas that check what is sent and answered. */
export const apiDocument = (): string => {
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'contact-sync',
      version: '1',
      description: 'The links that a database keeps, at the address of LISTEN, for programs that show API_TOKEN.',
    },
    security: [{ token: [] }],
    paths: pathsOf(),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { ...answerSchemas(), ...settingsSchemas() },
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
};

if (import.meta.main) writeFileSync(API_FILE, apiDocument());
