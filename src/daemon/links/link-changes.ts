import type { Clock } from '../../util/clock.ts';
import type { Config } from '../../app/config/config.ts';
import type { Events } from '../../engine/events.ts';

/** How often a daemon looks whether the links that its database keeps were changed. */
export const LOOK_EVERY_MS = 2_000;

type Watching = {
  readonly clock: Clock;
  readonly events: Pick<Events, 'databaseLinksUnreadable'>;
  /** Answers the configuration where the links of the database have changed, else null. */
  readonly look: () => Promise<Config | null>;
  /** Takes the links of a configuration in the place of those before. */
  readonly take: (config: Config) => void;
  readonly signal: AbortSignal;
};

/** Takes up the changes of the links that the database keeps, until the signal. */
export const watchLinks = async ({ clock, events, look, take, signal }: Watching): Promise<void> => {
  /** What keeps it from looking, which is logged once. */
  let trouble: string | null = null;
  while (!signal.aborted) {
    try {
      const config = await look();
      trouble = null;
      if (config !== null && !signal.aborted) take(config);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== trouble && !signal.aborted) events.databaseLinksUnreadable({ error });
      trouble = message;
    }
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
  }
};
