import { loadConfig, type Config, type LoadOptions } from '../config/config.ts';
import { holdsState } from '../config/home.ts';
import type { Terminal } from './terminal.ts';

/** The options that say where configuration and state are; every command takes them. */
export type PlaceOptions = { readonly config?: string; readonly dataDir?: string };

export const loadOptionsOf = ({ config, dataDir }: PlaceOptions): LoadOptions => ({
  configPath: config ?? null,
  dataDir: dataDir ?? null,
});

/**
 * The configuration for a command that opens the store. Where a new store begins in a place that nobody named, that is
 * said: it may be missing where it was expected. Throws {@link ConfigError}.
 */
export const openConfig = (terminal: Terminal, options: PlaceOptions): Config => {
  const config = loadConfig(loadOptionsOf(options));
  const { dataDir, isUsualDataDir } = config;
  if (isUsualDataDir && !holdsState(dataDir)) {
    terminal.warn(
      `No link was synced from here before: state begins in ${dataDir} (--data-dir or DATA_DIR say where else).`,
    );
  }
  return config;
};
