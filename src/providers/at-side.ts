import type { FeedPage } from '../core/contact/requests.ts';
import type { Side } from '../core/contact/side.ts';
import { RemoteError } from './errors.ts';
import type { Remote, WriteResult } from './remote.ts';

type Reword = (message: string) => string;

/** Returns a function that marks an error of a remote with the side, and rewords its message. */
const marking =
  (side: Side, reword: Reword) =>
  (error: unknown): unknown => {
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

/** Returns the remote with each of its errors marked with the side, and its message changed by `reword`. */
export const atSide = (side: Side, remote: Remote, reword: Reword = (message) => message): Remote => {
  const mark = marking(side, reword);
  const marked = <T>(answer: Promise<T>): Promise<T> => answerAt(side, answer, reword);
  const written = async <Result extends WriteResult<unknown>>(
    answer: Promise<readonly Result[]>,
  ): Promise<readonly Result[]> => {
    const results = await marked(answer);
    for (const result of results) if (!result.ok) mark(result.error);
    return results;
  };
  async function* pages(feed: AsyncIterable<FeedPage>): AsyncGenerator<FeedPage> {
    try {
      yield* feed;
    } catch (error) {
      throw mark(error);
    }
  }
  const { merge, originMarks, readOnlyReason } = remote;
  const mergeMarked: Remote['merge'] =
    merge &&
    (async (survivorId, mergedAwayId, signal) => {
      const result = await marked(merge(survivorId, mergedAwayId, signal));
      if (!result.ok) mark(result.error);
      return result;
    });
  return {
    capabilities: remote.capabilities,
    requestCount: () => remote.requestCount(),
    timeToSendMs: (requests) => remote.timeToSendMs(requests),
    identify: (signal) => marked(remote.identify(signal)),
    ...(readOnlyReason && { readOnlyReason: (signal) => marked(readOnlyReason(signal)) }),
    pull: (request, signal) => pages(remote.pull(request, signal)),
    read: (ids, signal) => marked(remote.read(ids, signal)),
    create: (batch, signal) => written(remote.create(batch, signal)),
    update: (batch, signal) => written(remote.update(batch, signal)),
    delete: (ids, signal) => written(remote.delete(ids, signal)),
    changeMembership: (batch, signal) => written(remote.changeMembership(batch, signal)),
    ...(mergeMarked && { merge: mergeMarked }),
    findCreated: (requests, sinceMs, isTaken, signal) => marked(remote.findCreated(requests, sinceMs, isTaken, signal)),
    ...(originMarks && { originMarks: (ids, scope, signal) => marked(originMarks(ids, scope, signal)) }),
    listGroups: (signal) => marked(remote.listGroups(signal)),
    readGroup: (id, signal) => marked(remote.readGroup(id, signal)),
    createGroup: (name, signal, details) => marked(remote.createGroup(name, signal, details)),
    renameGroup: (group, name, signal) => marked(remote.renameGroup(group, name, signal)),
    deleteGroup: (id, signal) => marked(remote.deleteGroup(id, signal)),
  };
};
