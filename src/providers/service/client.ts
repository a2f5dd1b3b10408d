import { Agent, type Dispatcher } from 'undici';
import { systemClock } from '../../util/clock.ts';
import { createSend } from './api/send.ts';
import { createServiceApi, type ServiceApi } from './api/service-api.ts';

export { RemoteError } from '../errors.ts';
export type { ServiceApi };

export type ServiceClientOptions = {
  /** {base_url}. The documented routes are appended to it. */
  readonly baseUrl: string;
  readonly accessToken: string;
  /** Sends the requests; an undici Agent by default. */
  readonly dispatcher?: Dispatcher;
};

/**
 * Creates a typed client of the service for other programs, with a method for each documented route of the resource API.
 *
 * Each call sends one request and checks the answer. It throws the reason of its signal, or a RemoteError whose `retry`
 * shows whether the request may be repeated. Requests are not rate-limited and not repeated.
 */
export const createServiceClient = ({
  baseUrl,
  accessToken,
  dispatcher = new Agent(),
}: ServiceClientOptions): ServiceApi =>
  createServiceApi(createSend({ baseUrl, accessToken, dispatcher, clock: systemClock }));
