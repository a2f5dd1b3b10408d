import { StoppedError } from '../engine/context.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** A signal that aborts at the first SIGINT or SIGTERM, until disposed; a second one ends the process at once. */
export const listenForInterrupt = (): { readonly signal: AbortSignal } & Disposable => {
  const controller = new AbortController();
  const ignore = (): void => {
    for (const name of SIGNALS) process.removeListener(name, onInterrupt);
  };
  const onInterrupt = (): void => {
    ignore();
    controller.abort(new StoppedError());
  };
  for (const name of SIGNALS) process.on(name, onInterrupt);
  return { signal: controller.signal, [Symbol.dispose]: ignore };
};
