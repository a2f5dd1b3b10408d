import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

export const ROOT = join(import.meta.dirname, '../../..');

/** One instruction; `text` is what follows its name, on one line. */
type Instruction = { readonly name: string; readonly text: string };

/** A stage, from its FROM to the next. */
type Stage = { readonly name: string; readonly base: string; readonly instructions: readonly Instruction[] };

/** The repository's Dockerfile, stage by stage. */
export const readDockerfile = (): readonly Stage[] => {
  const content = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const lines = content
    .replaceAll(/^\s*#.*\n/gmu, '')
    .replaceAll(/\s*\\\n\s*/gu, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: (Stage & { readonly instructions: Instruction[] })[] = [];
  for (const line of lines) {
    const [, name = '', text = ''] = /^(\w+)\s+(.*)$/u.exec(line) ?? [];
    if (name === 'FROM') {
      const [, base = '', alias] = /^(\S+)(?: AS (\S+))?$/u.exec(text) ?? [];
      stages.push({ base, name: alias ?? 'final', instructions: [] });
    } else stages.at(-1)?.instructions.push({ name, text });
  }
  return stages;
};

const Compose = z.strictObject({
  name: z.literal('contact-sync'),
  services: z.strictObject({
    'contact-sync': z.object({
      read_only: z.literal(true),
      stop_grace_period: z.string(),
      ports: z.array(z.string()),
      volumes: z.array(z.string()),
      secrets: z.undefined().optional(),
    }),
  }),
  volumes: z.strictObject({ data: z.null() }),
});

const RedisCompose = z.object({
  services: z.object({
    'contact-sync': z.object({
      environment: z.record(z.string(), z.string()),
      secrets: z.array(z.string()),
      depends_on: z.object({ redis: z.object({ condition: z.literal('service_healthy') }) }),
    }),
    redis: z.object({
      image: z.string(),
      user: z.literal('redis'),
      cap_drop: z.tuple([z.literal('ALL')]),
      cap_add: z.undefined().optional(),
      command: z.array(z.string()),
      secrets: z.array(z.string()),
      healthcheck: z.object({ test: z.array(z.string()) }),
    }),
  }),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

const readConfigFile = (name: string): unknown => parse(readFileSync(join(ROOT, 'config', name), 'utf8'));

/** config/compose.yaml: one service, one volume, one port. */
export const readCompose = (): z.infer<typeof Compose> => Compose.parse(readConfigFile('compose.yaml'));

/** config/compose.redis.yaml, which adds Redis and secret files. */
export const readRedisCompose = (): z.infer<typeof RedisCompose> =>
  RedisCompose.parse(readConfigFile('compose.redis.yaml'));

/** Returns the text with the images named by their tags alone. */
export const withoutDigests = (text: string): string => text.replaceAll(/@sha256:[0-9a-f]{64}/gu, '');
