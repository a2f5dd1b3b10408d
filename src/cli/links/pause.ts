import { systemClock } from '../../util/clock.ts';
import type { PlaceOptions } from '../command/configuration.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, withLinks, type Define } from '../command/options.ts';
import { withApp } from '../command/with-app.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `pause [LINK]`: stops the scheduled runs of a link, and a daemon's current run of it. */
const pause = (terminal: Terminal, linkName: string | undefined, options: PlaceOptions): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app: { store }, links }) => {
    for (const { name } of links) {
      const isNews = await store.setPausedByHand(name, systemClock.now());
      const said = isNews ? 'is paused' : 'was paused already';
      terminal.print(`${name} ${said}. Resume with: contact-sync resume ${name}. \`sync\` and \`resync\` still work.`);
    }
    return EXIT.done;
  });

/** `resume [LINK]`: starts the scheduled runs of a link again. */
const resume = (terminal: Terminal, linkName: string | undefined, options: PlaceOptions): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app: { store }, links }) => {
    for (const { name } of links) {
      const isNews = await store.setPausedByHand(name, null);
      const { state, reason } = await store.link(name);
      terminal.print(isNews ? `${name} is resumed.` : `${name} was not paused by hand.`);
      if (state === 'paused') terminal.warn(`${name}: ${reason ?? 'A credential is missing.'}`);
    }
    return EXIT.done;
  });

const PAUSE_HELP = `
A run that the daemon has under way stops before its next write and continues later. A sync in another terminal is not
stopped. \`sync\`, \`resync\` and the buttons of the page still work on a paused link.`;

/** Defines `pause`. */
export const define: Define = (command, call) => {
  withLinks(command)
    .addHelpText('after', PAUSE_HELP)
    .addHelpText('after', examples('pause', 'pause work'))
    .action(actionOf(call, null, pause));
};

/** Defines `resume`. */
export const defineResume: Define = (command, call) => {
  withLinks(command)
    .addHelpText('after', examples('resume', 'resume work'))
    .action(actionOf(call, null, resume));
};
