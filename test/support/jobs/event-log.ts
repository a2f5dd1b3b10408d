import type { Events } from '../../../src/engine/events.ts';

type Line = { readonly name: string; readonly fields: unknown };

/** Events that are kept, and can be waited for. */
export type EventLog = {
  readonly events: Events;
  readonly lines: readonly Line[];
  /** Resolves with the first event of that name from `from` on, whether it came already or will. */
  until(name: keyof Events, from?: number): Promise<unknown>;
};

export const createEventLog = (): EventLog => {
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  const events = new Proxy({} as Events, {
    get: (_, name) => (fields: unknown) => {
      lines.push({ name: String(name), fields });
      for (const look of waiting) look();
    },
  });
  return {
    events,
    lines,
    until: (name, from = 0) => {
      return new Promise((resolve) => {
        const look = (): void => {
          const line = lines.slice(from).find((candidate) => candidate.name === name);
          if (line === undefined) return;
          waiting.delete(look);
          resolve(line.fields);
        };
        waiting.add(look);
        look();
      });
    },
  };
};
