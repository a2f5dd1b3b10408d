/** Somebody asked the command to stop. */
class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  constructor() {
    super('Interrupted. What was done is stored; the next run goes on from there.');
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** A signal that aborts at the first SIGINT or SIGTERM, until disposed; a second one ends the process at once. */
export const listenForInterrupt = (): { readonly signal: AbortSignal } & Disposable => {
  const controller = new AbortController();
  const stop = (): void => {
    for (const name of SIGNALS) process.removeListener(name, onInterrupt);
  };
  const onInterrupt = (): void => {
    stop();
    controller.abort(new InterruptedError());
  };
  for (const name of SIGNALS) process.on(name, onInterrupt);
  return { signal: controller.signal, [Symbol.dispose]: stop };
};
