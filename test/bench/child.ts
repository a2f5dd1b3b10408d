import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

type Call = { readonly id: number; readonly method: string; readonly argument: unknown };
type Reply = { readonly id: number; readonly value?: unknown; readonly error?: string };

/** The functions that a child provides. Each takes one argument and returns one value, both plain data. */
export type Handlers = Readonly<Record<string, (argument: never) => unknown>>;
type Argument<Handler> = Handler extends (argument: infer Value) => unknown ? Value : never;
type Answer<Handler> = Handler extends (argument: never) => infer Value ? Awaited<Value> : never;

export type Child<Served extends Handlers> = {
  call<Name extends keyof Served & string>(name: Name, argument: Argument<Served[Name]>): Promise<Answer<Served[Name]>>;
  stop(): Promise<void>;
};

/** Serves calls of the parent until it disconnects. */
export const serve = (handlers: Handlers): void => {
  const perform = async ({ id, method, argument }: Call): Promise<void> => {
    try {
      const value = await handlers[method]?.(argument as never);
      process.send?.({ id, value });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  };
  process.on('message', (call: Call) => void perform(call));
  process.on('disconnect', () => process.exit(0));
};

/**
 * Starts a file as a child process. Relative paths are in this folder; `flags` are for Node, `environment` is added to that of this
 * process.
 */
export const startChild = <Served extends Handlers>(
  file: string,
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Child<Served> => {
  const child = fork(resolve(import.meta.dirname, file), {
    serialization: 'advanced',
    execArgv: [...flags],
    env: { ...process.env, ...environment },
  });
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  child.on('message', ({ id, value, error }: Reply) => {
    if (error === undefined) open.get(id)?.resolve(value);
    else open.get(id)?.reject(new Error(`${file}: ${error}`));
    open.delete(id);
  });
  child.on('exit', (code) => {
    for (const { reject } of open.values()) reject(new Error(`${file} ended with ${code}`));
  });
  return {
    call: (method, argument) => {
      lastId += 1;
      const answer = Promise.withResolvers<unknown>();
      open.set(lastId, answer);
      child.send({ id: lastId, method, argument } satisfies Call);
      return answer.promise as Promise<never>;
    },
    stop: async () => {
      if (child.exitCode !== null) return;
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
};
