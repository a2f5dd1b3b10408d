import { call } from './resource.ts';
import { interactionSchema, type Interaction, type InteractionWrite } from './schemas-interactions.ts';
import type { Send } from './send.ts';

/** Interaction routes (API.md, Interaction). Every operation throws a RemoteError or the signal's reason. */
export const createInteractionsApi = (send: Send) => ({
  /** PATCH /v2/interactions/{id}: only the values sent are changed. Scopes: not documented. */
  update: (id: string, interaction: InteractionWrite, signal: AbortSignal): Promise<Interaction> => {
    const body = { data: interaction };
    return call(send, interactionSchema, { method: 'PATCH', route: '/v2/interactions/{id}', id, body }, signal);
  },
});
