import { systemClock } from '../../util/clock.ts';
import type { PlaceOptions } from '../command/configuration.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { withApp } from '../command/with-app.ts';

/** `pause [LINK]`: stops the scheduled runs of a link, and a run that a daemon has under way. */
export const pause = (terminal: Terminal, linkName: string | undefined, options: PlaceOptions): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app: { store }, links }) => {
    for (const { name } of links) {
      const isNews = await store.setPausedByHand(name, systemClock.now());
      const said = isNews ? 'is paused' : 'was paused already';
      terminal.print(`${name} ${said}. Resume with: contact-sync resume ${name}. \`sync\` and \`resync\` still work.`);
    }
    return EXIT.done;
  });

/** `resume [LINK]`: starts the scheduled runs of a link again. */
export const resume = (terminal: Terminal, linkName: string | undefined, options: PlaceOptions): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app: { store }, links }) => {
    for (const { name } of links) {
      const isNews = await store.setPausedByHand(name, null);
      const { state, reason } = await store.link(name);
      terminal.print(isNews ? `${name} is resumed.` : `${name} was not paused by hand.`);
      if (state === 'paused') terminal.warn(`${name}: ${reason ?? 'A credential is missing.'}`);
    }
    return EXIT.done;
  });
