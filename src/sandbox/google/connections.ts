import { listPeople } from './listing.ts';
import { requiredSelection } from './read-parameters.ts';
import type { ApiRequest, World } from './world.ts';

/** `GET /v1/people/me/connections`: a full listing, or what changed since a sync token. */
export function listConnections({ query }: ApiRequest, world: World): object {
  const { people, tokens, total } = listPeople(world.account.contacts, query, requiredSelection(query), world);
  return {
    ...(people.length > 0 && { connections: people }),
    ...tokens,
    ...(total > 0 && { totalPeople: total, totalItems: total }),
  };
}
