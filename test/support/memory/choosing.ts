import type { FeedChange, FeedPage } from '../../../src/core/contact/requests.ts';
import { keepChosen, nameOfFields, type ChosenFields } from '../../../src/core/contact/chosen.ts';
import type { ContactRecord } from '../../../src/core/contact/record.ts';
import type { KnownRows, PullRequest, Remote, WriteResult } from '../../../src/providers/remote.ts';

/** A remote for a link that syncs only some fields: other fields are not returned, and digests of known rows depend on the selection. */
export const choosing = (remote: Remote, fields: ChosenFields): Remote => {
  const chosen = new Set(fields);
  const end = ` ${nameOfFields(fields)}`;
  const shown = (record: ContactRecord): ContactRecord => ({
    ...record,
    contact: keepChosen(record.contact, chosen),
    ...(record.digest !== undefined && { digest: record.digest + end }),
  });
  const answered = (results: readonly WriteResult<ContactRecord>[]): readonly WriteResult<ContactRecord>[] =>
    results.map((result) => (result.ok ? { ...result, value: shown(result.value) } : result));
  const changeOf = (change: FeedChange): FeedChange =>
    change.kind === 'upsert' ? { ...change, record: shown(change.record) } : change;
  const asked = (request: PullRequest): PullRequest => {
    if (request.mode === 'changes' || request.known === undefined) return request;
    const { known } = request;
    const own: KnownRows = async (rows) => {
      const found = await known(rows.map(({ id, digest }) => ({ id, digest: digest + end })));
      return new Set([...found].map((digest) => digest.slice(0, -end.length)));
    };
    return { ...request, known: own };
  };
  async function* pages(feed: AsyncIterable<FeedPage>): AsyncGenerator<FeedPage> {
    for await (const page of feed) yield { ...page, changes: page.changes.map(changeOf) };
  }
  const { merge } = remote;
  return {
    ...remote,
    pull: (request, signal) => pages(remote.pull(asked(request), signal)),
    read: async (ids, signal) => {
      const answers = await remote.read(ids, signal);
      return new Map(
        [...answers].map(([id, answer]) => [
          id,
          'record' in answer ? { ...answer, record: shown(answer.record) } : answer,
        ]),
      );
    },
    create: async (batch, signal) => answered(await remote.create(batch, signal)),
    update: async (batch, signal) => answered(await remote.update(batch, signal)),
    ...(merge && {
      merge: async (survivorId: string, id: string, signal: AbortSignal) => {
        const result = await merge(survivorId, id, signal);
        return result.ok ? { ...result, value: shown(result.value) } : result;
      },
    }),
    findCreated: async (requests, sinceMs, isTaken, signal) => {
      const found = await remote.findCreated(requests, sinceMs, isTaken, signal);
      return new Map([...found].map(([key, record]) => [key, shown(record)]));
    },
  };
};
