import { systemClock } from '../clock.ts';
import type { PlaceOptions } from './configuration.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';
import { withApp } from './with-app.ts';

/** `pause [LINK]`: no run of the link begins by itself any more, and one that a daemon has under way stops. */
export const pause = (terminal: Terminal, linkName: string | undefined, options: PlaceOptions): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app: { store }, links }) => {
    for (const { name } of links) {
      const isNews = await store.setPausedByHand(name, systemClock.now());
      const said = isNews ? 'is paused' : 'was paused already';
      terminal.print(`${name} ${said}. sync and resync run it all the same; let it go on with: contact-sync resume`);
    }
    return EXIT.done;
  });

/** `resume [LINK]`: the link is run on its schedule again. */
export const resume = (terminal: Terminal, linkName: string | undefined, options: PlaceOptions): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app: { store }, links }) => {
    for (const { name } of links) {
      const isNews = await store.setPausedByHand(name, null);
      const { state, reason } = await store.link(name);
      terminal.print(isNews ? `${name} goes on with its next scheduled run.` : `${name} was not paused by hand.`);
      if (state === 'paused') terminal.warn(`${name}: ${reason ?? 'It waits for a credential.'}`);
    }
    return EXIT.done;
  });
