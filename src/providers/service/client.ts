import { Agent, type Dispatcher } from 'undici';
import { systemClock } from '../../util/clock.ts';
import { createSend } from './api/send.ts';
import { createServiceApi, type ServiceApi } from './api/service-api.ts';

export { RemoteError } from '../errors.ts';
export type { ServiceApi };

export type ServiceClientOptions = {
  /** {base_url}: the documented routes are appended to it. */
  readonly baseUrl: string;
  readonly accessToken: string;
  /** What sends the requests; by default an agent of undici. */
  readonly dispatcher?: Dispatcher;
};

/**
 * The service's typed client, for programs of other people: a method for each documented route of the resource API.
 *
 * Each call sends one request and checks the answer. It throws a RemoteError, which knows whether the request may be
 * sent again (`retry`), or the reason of its signal. Requests are neither paced nor repeated.
 */
export const createServiceClient = ({
  baseUrl,
  accessToken,
  dispatcher = new Agent(),
}: ServiceClientOptions): ServiceApi =>
  createServiceApi(createSend({ baseUrl, accessToken, dispatcher, clock: systemClock }));
