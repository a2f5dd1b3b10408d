import { GOOGLE_VARIANT_TABLE, type GoogleVariants } from '../../../src/sandbox/google/variants.ts';
import { SERVICE_VARIANT_TABLE, type ServiceVariants } from '../../../src/sandbox/service/variants.ts';

/** One switch of an emulator at a value that is not its default. */
export type Variant = { readonly name: string; readonly value: string };

const nonDefault = (name: string, values: readonly string[]): Variant[] =>
  values.slice(1).map((value) => ({ name, value }));

/** Every value of every switch of the service's emulator but the defaults, as its table lists them. */
export const SERVICE_VARIANTS: readonly Variant[] = SERVICE_VARIANT_TABLE.flatMap(({ name, values }) =>
  nonDefault(name, values),
);

/** The same of Google's emulator. */
export const GOOGLE_VARIANTS: readonly Variant[] = GOOGLE_VARIANT_TABLE.flatMap(({ name, values }) =>
  nonDefault(name, values),
);

/** The variants as one setting, checked by the emulator when it starts. */
export const serviceSetting = (variants: readonly Variant[]): Partial<ServiceVariants> =>
  Object.fromEntries(variants.map(({ name, value }) => [name, value]));
export const googleSetting = (variants: readonly Variant[]): Partial<GoogleVariants> =>
  Object.fromEntries(variants.map(({ name, value }) => [name, value]));

export const titleOf = ({ name, value }: Variant): string => `${name}=${value}`;

/** A rule about the variant of a switch, at one of its values or at any. */
export type VariantRule<Kind extends string> = {
  readonly name: string;
  /** Every value but the default unless given. */
  readonly value?: string;
  readonly kind: Kind;
  readonly reason: string;
};

/** The first rule that speaks of the variant; null where none does. */
export const ruleFor = <Kind extends string>(
  rules: readonly VariantRule<Kind>[],
  variant: Variant,
): VariantRule<Kind> | null =>
  rules.find(({ name, value }) => name === variant.name && (value ?? variant.value) === variant.value) ?? null;

/** Rules that speak of no variant: a slip of the pen, or a switch that is gone. */
export const idleRules = (rules: readonly VariantRule<string>[], variants: readonly Variant[]): string[] =>
  rules
    .filter((rule) => !variants.some((variant) => ruleFor([rule], variant) !== null))
    .map(({ name, value }) => `${name}=${value ?? '*'}`);
