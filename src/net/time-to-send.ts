import type { Budget } from './governor.ts';

/**
 * How long the governor takes to let so many more requests pass, in milliseconds. They are spread evenly over the window;
 * beyond what is free now they also wait until what was used becomes free again, one after the other until the reset.
 * Answers that are slow, and other users of the same limit, are not in it.
 */
export const timeToSendMs = (requests: number, { limit, remaining, resetMs }: Budget): number => {
  const pacedMs = (requests * limit.windowMs) / limit.requests;
  const used = limit.requests - remaining;
  const waiting = Math.max(0, Math.min(used, requests - remaining));
  return Math.round(Math.max(pacedMs, waiting === 0 ? 0 : (resetMs * waiting) / used));
};
