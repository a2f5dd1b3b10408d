import { z } from 'zod';
import { id, optionalText } from './schemas-common.ts';

/** What a code was exchanged for. How long the token lives is not documented. */
export const grantSchema = z.object({
  access_token: z.string().min(1),
  email: optionalText,
  first_name: optionalText,
  last_name: optionalText,
  token_type: optionalText,
  user_id: id.nullish().transform((value) => value ?? null),
});
export type Grant = z.output<typeof grantSchema>;

/** What a v1 application's api_key was exchanged for. */
export const exchangedKeySchema = z.object({ access_token: z.string().min(1), scopes: optionalText });
export type ExchangedKey = z.output<typeof exchangedKeySchema>;
