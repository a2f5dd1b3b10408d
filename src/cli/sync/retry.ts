import type { Rejection } from '../../core/state/rows.ts';
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../util/clock.ts';
import type { LinkConfig } from '../../app/config/config.ts';
import { inWordsOf } from '../../core/contact/side.ts';
import { isAbout, retryRefused } from '../../engine/change-link.ts';
import { refusalsIn } from '../../core/state/unsyncable.ts';
import { count } from '../../core/view/words.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { withApp, type CommonOptions } from '../command/with-app.ts';

/** The word for every refused write of the links. */
const ALL = 'all';

/** A write that is tried again, as the README documents it, in the words of the link. */
const toJson = ({ name: link, sides }: LinkConfig, { side, leftId, rightId, reason, attempts }: Rejection): unknown =>
  inWordsOf(sides, { link, side, leftId, rightId, reason, attempts });

/**
 * `retry ID|all [LINK]`: makes the next run retry refused writes without waiting.
 *
 * @throws {UsageError} where nothing of that contact was refused.
 * @throws {LeaseError} where a run is under way.
 */
export const retry = (
  terminal: Terminal,
  id: string,
  linkName: string | undefined,
  options: CommonOptions,
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app, links }) => {
    const isMeant = id === ALL ? () => true : isAbout(id);
    const retried: unknown[] = [];
    for (const link of links) {
      const { rejections } = await app.store.link(link.name);
      if (!refusalsIn(rejections).some(isMeant)) continue;
      const parts = { store: app.store, clock: systemClock, newId: randomUUID, holders: app.holders };
      retried.push(...(await retryRefused(parts, link.name, isMeant)).map((each) => toJson(link, each)));
    }
    if (retried.length === 0 && id !== ALL) {
      throw new UsageError(`No side has refused a write to ${id}. \`contact-sync status\` lists the refused contacts.`);
    }
    const next = retried.length === 0 ? '' : ' Retry now: contact-sync sync';
    if (options.json) terminal.print(JSON.stringify({ retried }));
    else terminal.print(`${count(retried.length, 'refused write')} to retry.${next}`);
    return EXIT.done;
  });
