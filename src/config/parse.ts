import type { z } from 'zod';
import { find, variableOf, type Keys, type Layer, type Report } from './sources.ts';

/** Where settings are looked for. */
export type Sources = {
  /** Where several layers have a setting, the first wins. */
  readonly layers: readonly Layer[];
  /** The section that the settings belong to, such as `google.`; empty for those outside any section. */
  readonly section: string;
  /** Where relative paths start. */
  readonly cwd: string;
  readonly report: Report;
};

const missing = (key: string, isSecret: boolean): string => {
  const ways = isSecret ? `it, ${variableOf(key)}_FILE` : 'it';
  return `is not set. Set ${ways} or ${key} in the configuration file.`;
};

/** The settings of one schema, whose keys are `keys`; null where one of them has a fault, which is reported. */
export const parseSettings = <Schema extends z.ZodObject>(
  schema: Schema,
  keys: Keys,
  { layers, section, cwd, report }: Sources,
): z.output<Schema> | null => {
  const found = new Map(keys.names.map((key) => [key, find(key, layers, cwd, report)]));
  const values = [...found].flatMap(([key, setting]) => (setting?.value ? [[key, setting.value] as const] : []));
  const result = schema.safeParse(Object.fromEntries(values));
  if (result.success) return result.data;
  for (const { path, message } of result.error.issues) {
    const key = path.join('.');
    const setting = found.get(key);
    if (!setting) report(variableOf(section + key), missing(section + key, keys.secrets.includes(key)));
    else if (setting.value !== null) report(setting.where, message);
  }
  return null;
};
