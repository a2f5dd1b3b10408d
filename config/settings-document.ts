import { z } from 'zod';

/** The JSON document of `config show`. */
export const SettingsDocument = z.strictObject({
  settings: z.array(
    z.strictObject({
      link: z.string().nullable(),
      key: z.string(),
      value: z.string().nullable(),
      secret: z.boolean(),
      set: z.boolean(),
      source: z.enum(['default', 'option', 'variable', 'file', 'secret file']),
      where: z.string().nullable(),
    }),
  ),
});
