import type { LinkConfig } from '../../app/config/link-config.ts';
import { sectionPlace } from '../../app/config/link-files.ts';
import { withSettingAt } from '../../app/config/set-up.ts';
import type { Side } from '../../core/contact/side.ts';
import { RemoteError } from '../../providers/errors.ts';
import { providerNamed } from '../../providers/registry.ts';
import { systemClock } from '../../util/clock.ts';
import { readTextFile } from '../../util/files.ts';
import { listenForInterrupt, withApp, type CommonOptions } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { replaceFile } from './config-file.ts';
import type { Asker } from '../terminal/prompts.ts';

/**
 * Returns the fault in a provider's addresses and client that a request without a sign-in shows; null if no fault was found or
 * the settings are incomplete.
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

/** A side of a link, and the configuration file. */
type ConfiguredSide = { readonly link: LinkConfig; readonly side: Side; readonly configFile: string };

/** Returns whether the account of a side may have several address books or similar, and the configuration selects none. */
export const needsCollectionChoice = ({ sides }: LinkConfig, side: Side): boolean => {
  const { provider, settings } = sides[side];
  const { collection } = providerNamed(provider);
  return collection !== undefined && settings[collection.key] === null;
};

/** If the account has several address books, asks which one the side syncs and writes it to the file of the link. */
const chooseAmong = async (
  asker: Asker,
  { link, side, configFile }: ConfiguredSide,
  found: readonly { readonly value: string; readonly name: string }[],
): Promise<void> => {
  const { provider, place } = link.sides[side];
  const { collection } = providerNamed(provider);
  const [first, ...others] = found;
  if (collection === undefined || first === undefined || others.length === 0) return;
  const question = `Which ${collection.word} at ${place} to sync`;
  const value = await asker.choice(question, found, first.value);
  const { path, keys } = sectionPlace(configFile, link.name);
  await replaceFile(path, withSettingAt(await readTextFile(path), [...keys, side, collection.key], value));
};

/**
 * Asks for the password of a side if it has no token, and then which address book of the account it syncs. Returns the password,
 * or null if none was asked for. An unreadable server is not reported here, because the following sign-in reports it.
 *
 * @throws {InterruptedError} if a question was interrupted.
 */
export const chooseCollection = (
  terminal: Terminal,
  options: CommonOptions,
  asker: Asker,
  configured: ConfiguredSide,
): Promise<string | null> =>
  withApp(terminal, configured.link.name, options, async ({ app, signal }) => {
    const { link, side } = configured;
    const { name, place, token } = link.sides[side];
    const known = token?.reveal() ?? (await app.vault.read(link.name, name).catch(() => null))?.token ?? null;
    const faultOf = (answer: string): string | null => (answer === '' ? 'is empty.' : null);
    const password = known === null ? await asker.secret(`Password of the account at ${place}`, '', faultOf) : null;
    try {
      await chooseAmong(asker, configured, await app.collections(link, side, known ?? password ?? '', signal));
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
    }
    return password;
  });
