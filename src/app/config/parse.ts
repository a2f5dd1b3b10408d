import type { z } from 'zod';
import { find, variableOf, type Keys, type Layer, type Raw, type Report } from './sources.ts';

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

const LONGEST_VALUE = 8192;
const LONGEST_LIST = 65_536;

/** The fault of a value's length; null if it is valid. */
const faultOfLength = (value: Raw): string | null => {
  const texts = [value].flat();
  const longest = Math.max(0, ...texts.map(({ length }) => length));
  if (longest > LONGEST_VALUE) return `has ${longest} characters. Write at most ${LONGEST_VALUE}.`;
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  return total > LONGEST_LIST ? `is a list of ${total} characters. Write at most ${LONGEST_LIST}.` : null;
};

/** The setting with its length checked; a null value stands for one whose fault is reported. */
const findChecked = (key: string, { layers, cwd, report }: Sources): ReturnType<typeof find> => {
  const found = find(key, layers, cwd, report);
  const fault = found?.value ? faultOfLength(found.value) : null;
  if (found === null || fault === null) return found;
  report(found.where, fault);
  return { ...found, value: null };
};

const missing = (key: string, isSecret: boolean): string => {
  const ways = isSecret ? `it, ${variableOf(key)}_FILE` : 'it';
  return `is not set. Set ${ways} or ${key} in the configuration file.`;
};

/** The settings of one schema, whose keys are `keys`; null where one of them has a fault, which is reported. */
export const parseSettings = <Schema extends z.ZodObject>(
  schema: Schema,
  keys: Keys,
  sources: Sources,
): z.output<Schema> | null => {
  const { section, report } = sources;
  const found = new Map(keys.names.map((key) => [key, findChecked(key, sources)]));
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
