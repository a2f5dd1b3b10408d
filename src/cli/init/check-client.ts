import { systemClock } from '../../util/clock.ts';
import { providerNamed } from '../../providers/registry.ts';
import { listenForInterrupt } from '../interrupt.ts';

/**
 * Returns the fault in a provider's addresses and client, as far as a request without a sign-in shows it; null if no fault was
 * found or the settings are incomplete.
 */
export const checkClient = async (
  providerName: string,
  settings: ReadonlyMap<string, string>,
): Promise<string | null> => {
  const { name, schema, signIn } = providerNamed(providerName);
  const prefix = `${name}.`;
  const own = [...settings].flatMap(([key, value]) =>
    key.startsWith(prefix) ? [[key.slice(prefix.length), value] as const] : [],
  );
  const parsed = schema.safeParse(Object.fromEntries(own));
  if (!parsed.success) return null;
  using interrupt = listenForInterrupt();
  return await signIn.checkClient(parsed.data, { clock: systemClock, signal: interrupt.signal });
};
