import type { z } from 'zod';
import { badRequestDetails, invalidArgument } from './api-error.ts';

/**
 * Parses a JSON body as the real reader does: null means absent, unknown names and wrong types are a 400 that names the
 * place.
 */
export function readBody<Body>(schema: z.ZodType<Body>, body: unknown, root: string): Body {
  const parsed = schema.safeParse(withoutNulls(body ?? {}));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = [root, ...(issue?.path ?? [])].map(String).join('.');
  const description =
    issue?.code === 'unrecognized_keys'
      ? `Invalid JSON payload received. Unknown name "${issue.keys[0]}" at '${place}': Cannot find field.`
      : `Invalid value at '${place}': ${issue?.message ?? 'unreadable'}.`;
  throw invalidArgument(description, badRequestDetails(place, description));
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const present = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(present.map(([key, member]) => [key, withoutNulls(member)]));
}
