import { z } from 'zod';
import { linkSettingsSchema } from '../src/app/config/link-config.ts';
import { SHARED_KEYS, SharedSettings } from '../src/app/config/shared-settings.ts';
import { sideSchema } from '../src/app/config/sides.ts';
import { USUAL_PROVIDERS } from '../src/providers/names.ts';
import type { Provider } from '../src/providers/provider.ts';
import { PROVIDERS } from '../src/providers/registry.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** YAML scalars are read as text, and an empty one counts as not set; an editor sees numbers, truth values and nulls. */
const SCALAR = ['string', 'number', 'boolean', 'null'] as const;

const asYaml = (schema: Schema): void => {
  const { type, enum: words } = schema;
  const isText = type === 'string' || (Array.isArray(type) && type.includes('string'));
  // The schema's type has one name only, though JSON Schema allows several.
  if (isText) Object.assign(schema, { type: SCALAR });
  if (words?.includes('true')) schema.enum = [...new Set([...words, true, false])];
  delete schema.default;
  // The generator removes `examples` of a setting whose value is converted.
  const { example } = schema;
  delete schema['example'];
  if (typeof example === 'string') schema.examples = [example];
};

/** The settings of one section; each secret one may stand in a file of its own. */
const propertiesOf = (schema: z.ZodObject, secrets: readonly string[]): Record<string, unknown> => {
  const options = { io: 'input', override: ({ jsonSchema }: { jsonSchema: Schema }) => asYaml(jsonSchema) } as const;
  const { properties = {} } = z.toJSONSchema(schema, options);
  const files = secrets.map((key) => [`${key}File`, { type: 'string', description: `A file that holds ${key}.` }]);
  return { ...properties, ...Object.fromEntries(files) };
};

const section = (properties: Record<string, unknown>, more: object = {}) => ({
  type: ['object', 'null'],
  properties,
  additionalProperties: false,
  ...more,
});

const providerProperties = (provider: Provider): Record<string, unknown> =>
  propertiesOf(sideSchema(provider), provider.secretKeys);

/** What a side is called is the file's own choice, so the words made of it are only examples. */
const linkProperties = (): Record<string, unknown> => {
  const { direction, conflictPolicy, fields, ...others } = linkSettingsSchema(USUAL_PROVIDERS).shape;
  const open = (each: z.ZodType) => z.string().describe(each.description ?? '');
  const fieldOptions = z.union([
    z.string(),
    z.strictObject({
      direction: z.string().optional(),
      winner: z.string().optional(),
    }),
  ]);
  const schema = z.object({
    ...others,
    direction: open(direction),
    fields: z
      .union([z.string(), z.array(z.string()), z.record(z.string(), fieldOptions)])
      .describe(fields.description ?? ''),
    conflictPolicy: open(conflictPolicy),
  });
  return propertiesOf(schema, []);
};

/** A side of a link: the settings of its provider. All of them are named outside the alternatives too, for completion. */
const sideDefinition = (): object => {
  const about = 'Provider of this side.';
  const name = { type: 'string', description: 'Name of this side in commands, logs and policies.' };
  const anyOf = PROVIDERS.map((provider) =>
    section(
      { provider: { const: provider.name, description: about }, name, ...providerProperties(provider) },
      { type: 'object', required: ['provider'] },
    ),
  );
  const all = PROVIDERS.flatMap((provider) => Object.entries(providerProperties(provider)));
  const isShared = (key: string): boolean => all.filter(([other]) => other === key).length > 1;
  const properties = {
    provider: { enum: PROVIDERS.map((provider) => provider.name), description: about },
    name,
    ...Object.fromEntries(all.map(([key, schema]) => [key, isShared(key) ? {} : schema])),
  };
  return { required: ['provider'], properties, anyOf };
};

/** The JSON Schema of the configuration file, made from the schemas that read it: for editors to complete and check. */
export const configSchema = (): string => {
  const sections = Object.fromEntries(PROVIDERS.map(({ name }) => [name, { $ref: `#/definitions/${name}` }]));
  const linkwide = { ...linkProperties(), ...sections };
  const side = sideDefinition();
  const sides = { left: { $ref: '#/definitions/side' }, right: { $ref: '#/definitions/side' } };
  const links = {
    description: 'The links: two accounts each. Settings here are for one link alone.',
    type: 'object',
    additionalProperties: { $ref: '#/definitions/link' },
  };
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'The configuration file of contact-sync',
    ...section({ ...propertiesOf(SharedSettings, SHARED_KEYS.secrets), ...linkwide, links }),
    definitions: {
      ...Object.fromEntries(PROVIDERS.map((provider) => [provider.name, section(providerProperties(provider))])),
      side,
      link: section({ ...linkwide, ...sides }),
    },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
};
