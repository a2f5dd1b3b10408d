import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { printable } from '../../util/printable.ts';
import type { Layout } from './layout.ts';

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** Where a command speaks to people and scripts: stdout and stderr, and what they are connected to. */
export type Terminal = {
  /** Standard output itself: what bars are drawn on. */
  readonly stdout: NodeJS.WriteStream;
  /** Whether lines may be drawn over: on a terminal, but not a dumb one, nor where NO_COLOR asks for plain text. */
  readonly redraws: boolean;
  /** Prints lines to stdout, with control and bidirectional characters written out. */
  print(text: string): void;
  /** Prints what an answer is typed behind: a text with no line break at its end. */
  ask(text: string): void;
  /** Prints lines to stderr, likewise. */
  warn(text: string): void;
  /** Standard error for a logger; goes the same way as `warn`. */
  readonly log: NodeJS.WritableStream & { readonly isTTY: boolean; hasColors(): boolean };
  /** Sends what is for stderr elsewhere while bars are drawn on the same terminal; null ends that. */
  divert(to: ((lines: string) => void) | null): void;
  /** Colours a text for stdout where that is a terminal and NO_COLOR is not set. */
  style(style: Style, text: string): string;
};

/** The styles that {@link Terminal.style} writes, and the ones that end them. */
const OWN_STYLES = /(\u001B\[(?:1|2|22|31|32|33|39)m)/u;

/** Keeps the program's own styles where the stream is a terminal; of all else, nothing reaches it that it would obey. */
const sanitise = (text: string, stream: { readonly isTTY?: boolean }): string => {
  if (!stream.isTTY) return printable(text);
  return text
    .split(OWN_STYLES)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');
};

/** By Node's own reckoning, from what the stream is, TERM and NO_COLOR. */
const isLively = (stream: NodeJS.WriteStream): boolean => (stream.isTTY ? stream.hasColors() : false);

/** The process's own streams as a {@link Terminal}. A reader of stdout that went away does not end the command. */
export const createTerminal = (stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Terminal => {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  let diverted: ((lines: string) => void) | null = null;
  const writeError = (lines: string): void => {
    if (diverted !== null && stderr.isTTY) diverted(lines);
    else stderr.write(lines);
  };
  const log = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      writeError(chunk.toString());
      done();
    },
  });
  // A command that is made of others opens a log for each of them.
  log.setMaxListeners(0);
  return {
    stdout,
    redraws: isLively(stdout),
    print: (text) => void stdout.write(`${sanitise(text, stdout)}\n`),
    ask: (text) => void stdout.write(sanitise(text, stdout)),
    warn: (text) => writeError(`${sanitise(text, stderr)}\n`),
    log: Object.assign(log, { isTTY: stderr.isTTY, hasColors: () => isLively(stderr) }),
    divert: (to) => {
      diverted = to;
    },
    style: (style, text) => styleText(style, text, { stream: stdout }),
  };
};

/** How wide a line may be, in columns; a pipe has no width: nothing is broken into lines for it. */
export const widthOf = ({ stdout }: Pick<Terminal, 'stdout'>): number => stdout.columns || Number.POSITIVE_INFINITY;

/** What lines for people are laid out for. */
export const layoutOf = (terminal: Terminal): Layout => ({
  width: widthOf(terminal),
  style: (style, text) => terminal.style(style, text),
});
