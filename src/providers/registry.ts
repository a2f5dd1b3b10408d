import { carddav } from './carddav/provider.ts';
import { google } from './google/provider.ts';
import { PROVIDER_NAMES, type ProviderName } from './names.ts';
import type { Provider } from './provider.ts';
import { service } from './service/provider.ts';

const BY_NAME: Readonly<Record<ProviderName, Provider>> = { service, google, carddav };

/** Every provider. */
export const PROVIDERS: readonly Provider[] = PROVIDER_NAMES.map((name) => BY_NAME[name]);

/** Returns the provider of that name. Throws an Error if {@link PROVIDERS} has none. */
export const providerNamed = (name: string): Provider => {
  const provider = PROVIDERS.find((candidate) => candidate.name === name);
  if (provider === undefined) throw new Error(`There is no provider named ${name}.`);
  return provider;
};
