import { carddav } from './carddav/provider.ts';
import { google } from './google/provider.ts';
import type { Provider } from './provider.ts';
import { service } from './service/provider.ts';

/** Every provider that there is, one line each. */
export const PROVIDERS: readonly Provider[] = [service, google, carddav];

/** The provider of that name. Throws where there is none: whoever has a name has it from {@link PROVIDERS}. */
export const providerNamed = (name: string): Provider => {
  const provider = PROVIDERS.find((candidate) => candidate.name === name);
  if (provider === undefined) throw new Error(`There is no provider named ${name}.`);
  return provider;
};
