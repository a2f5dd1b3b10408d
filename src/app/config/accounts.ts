import { SIDES, type Side, type Sides } from '../../core/contact/side.ts';
import { PROVIDERS, providerNamed } from '../../providers/registry.ts';
import type { DeclaredSide, SideConfig } from './sides.ts';
import { variableOf, type Layer, type Report } from './sources.ts';

/** Reports each variable of a single account that would apply to several sides. */
export const reportSharedAccounts = (
  environment: Layer,
  links: readonly Sides<DeclaredSide>[],
  report: Report,
): void => {
  const played = links.flatMap((sides) => SIDES.map((side) => sides[side].provider));
  for (const provider of PROVIDERS) {
    const count = played.filter((other) => other === provider).length;
    const settings = provider.accountKeys.flatMap((key) => [key, `${key}File`]);
    const variables = settings.filter((key) => environment.has(`${provider.name}.${key}`));
    for (const setting of count > 1 ? variables : []) {
      const key = `${provider.name}.${setting}`;
      report(
        variableOf(key),
        count === links.length
          ? `belongs to one account, but there are ${count} links. Remove it, and set links.<name>.${key} in the file.`
          : `belongs to one account, but ${count} sides have the provider ${provider.name}. Remove it, and set ${setting} at each of them in the file.`,
      );
    }
  }
};

/**
 * The place of a setting of a side, for messages: where it is set, else a variable, or a key of the file if both sides have the same
 * provider and the setting belongs to one account.
 */
export const placeOf = (
  link: { readonly keyPrefix: string; readonly sides: Sides<SideConfig> },
  side: Side,
  key: string,
): string => {
  const { left, right } = link.sides;
  const place = link.sides[side].places[key];
  if (place !== undefined) return place;
  const provider = providerNamed(link.sides[side].provider);
  const isShared = left.provider === right.provider && provider.accountKeys.includes(key.replace(/File$/u, ''));
  return isShared ? `${link.keyPrefix}${side}.${key}` : variableOf(`${provider.name}.${key}`);
};

/** Replaces the variables of a side's settings in a message by the places where they are set. */
export const namePlaces = (message: string, { provider, places }: Pick<SideConfig, 'provider' | 'places'>): string =>
  Object.entries(places).reduce((text, [key, place]) => {
    const variable = variableOf(`${provider}.${key}`);
    return text.replaceAll(new RegExp(String.raw`\b${variable}\b`, 'gu'), () => place);
  }, message);

/** The provider of a side with its address settings, as a text for comparison. */
export const endpointOf = ({ provider, settings }: SideConfig): string => {
  const { addressKeys } = providerNamed(provider);
  return JSON.stringify([provider, ...addressKeys.map((key) => settings[key])]);
};
