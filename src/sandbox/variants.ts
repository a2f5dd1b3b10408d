import { z } from 'zod';

/** One gap of a remote's documentation: its subject, and the possible behaviours; the first is the default. */
export const choice = <const Value extends string>(about: string, ...values: readonly [Value, ...Value[]]) =>
  z
    .enum(values)
    .default(() => values[0])
    .describe(about);

/** One row of a table of variants, for display. */
export type VariantRow = { readonly name: string; readonly about: string; readonly values: readonly string[] };

/** Returns every variant with its allowed values, the default first. An enum of zod sorts numbers to the front. */
export const variantTable = (choices: Readonly<Record<string, ReturnType<typeof choice>>>): readonly VariantRow[] =>
  Object.entries(choices).map(([name, values]) => {
    const first = values.parse(undefined);
    const others = values.unwrap().options.filter((value) => value !== first);
    return { name, about: values.description ?? '', values: [first, ...others] };
  });
