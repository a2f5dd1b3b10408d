import { SIDES, type Side, type Sides } from '../../core/contact/side.ts';
import { PROVIDERS, providerNamed } from '../../providers/registry.ts';
import type { Secret } from '../../util/secret.ts';
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
    const variables = settings.filter((key) => environment.values.has(`${provider.name}.${key}`));
    for (const setting of count > 1 ? variables : []) {
      const key = `${provider.name}.${setting}`;
      report(
        variableOf(key),
        count === links.length
          ? `is one account's, but there are ${count} links. Set links.<name>.${key} in the file.`
          : `is one account's, but ${count} sides have the provider ${provider.name}. Set ${setting} at each of them in the file.`,
      );
    }
  }
};

/** Reports a link whose two sides would open the same account; a variable that causes it is reported as shared. */
export const reportSharedToken = (
  where: string,
  { left, right }: Sides<SideConfig>,
  { environment, report }: { readonly environment: Layer; readonly report: Report },
): void => {
  if (left.provider !== right.provider || left.token === null || right.token === null) return;
  const { name, tokenKey } = providerNamed(left.provider);
  const variable = `${name}.${tokenKey}`;
  const isReported = environment.values.has(variable) || environment.values.has(`${variable}File`);
  if (isReported || left.token.reveal() !== right.token.reveal()) return;
  report(where, `has the same ${tokenKey} on both sides. Give each side the one of its own account.`);
};

/** The problem of a page token that equals API_TOKEN. */
export const IS_API_TOKEN = 'is API_TOKEN too. Give each a token of its own.';

/** Reports each link whose page token equals that of another link or of the API; `shared` are the tokens of the process. */
export const reportSharedPageToken = (
  shared: { readonly consoleToken: Secret | null; readonly apiToken: Secret | null } | null,
  links: readonly { readonly name: string; readonly consoleToken: Secret | null }[],
  report: Report,
): void => {
  const taken = new Set([shared?.consoleToken?.reveal()]);
  for (const { name, consoleToken } of links) {
    if (consoleToken === null) continue;
    if (taken.has(consoleToken.reveal())) {
      report(`links.${name}.consoleToken`, 'opens another link too. Give each link a token of its own.');
    }
    if (consoleToken.reveal() === shared?.apiToken?.reveal()) report(`links.${name}.consoleToken`, IS_API_TOKEN);
    taken.add(consoleToken.reveal());
  }
};

/**
 * The place where a setting of a side is set, for messages: a variable, or a key of the file if both sides have the same
 * provider and the setting belongs to one account.
 */
export const placeOf = (
  link: { readonly name: string; readonly sides: Sides<SideConfig> },
  side: Side,
  key: string,
): string => {
  const { left, right } = link.sides;
  const provider = providerNamed(link.sides[side].provider);
  const isShared = left.provider === right.provider && provider.accountKeys.includes(key.replace(/File$/u, ''));
  return isShared ? `links.${link.name}.${side}.${key}` : variableOf(`${provider.name}.${key}`);
};

/** The provider of a side with its address settings, as a text for comparison. */
export const endpointOf = ({ provider, settings }: SideConfig): string => {
  const { addressKeys } = providerNamed(provider);
  return JSON.stringify([provider, ...addressKeys.map((key) => settings[key])]);
};
