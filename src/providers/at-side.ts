import type { Side } from '../core/contact/side.ts';
import { RemoteError } from './errors.ts';
import type { Remote } from './remote.ts';

type Reword = (message: string) => string;
type Mark = (error: unknown) => unknown;

/** Returns a function that marks an error of a remote with the side, and rewords its message. */
const marking =
  (side: Side, reword: Reword): Mark =>
  (error) => {
    if (!(error instanceof RemoteError)) return error;
    error.side = side;
    error.message = reword(error.message);
    return error;
  };

/** Waits for an answer of a side. Its errors are marked with the side, and reworded. */
export const answerAt = async <T>(side: Side, answer: Promise<T>, reword: Reword): Promise<T> => {
  try {
    return await answer;
  } catch (error) {
    throw marking(side, reword)(error);
  }
};

/** Marks the errors of refused writes in an answer, which may be results of writes. */
const markRefusals = (answer: unknown, mark: Mark): unknown => {
  for (const each of [answer].flat())
    if (typeof each === 'object' && each !== null && 'error' in each) mark(each.error);
  return answer;
};

const isFeed = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

async function* markFeed(feed: AsyncIterable<unknown>, mark: Mark): AsyncGenerator {
  try {
    yield* feed;
  } catch (error) {
    throw mark(error);
  }
}

/** Returns the remote with each of its errors marked with the side, and its message changed by `reword`. */
export const atSide = (side: Side, remote: Remote, reword: Reword = (message) => message): Remote => {
  const mark = marking(side, reword);
  const marked = (result: unknown): unknown => {
    if (result instanceof Promise) return answerAt(side, result, reword).then((answer) => markRefusals(answer, mark));
    return isFeed(result) ? markFeed(result, mark) : result;
  };
  return new Proxy(remote, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: readonly unknown[]) => marked(Reflect.apply(member, target, given));
    },
  });
};
