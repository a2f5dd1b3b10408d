import { Agent, type Dispatcher } from 'undici';

/** One request and what was answered to it. */
export type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Parsed JSON; undefined for anything else. */
  readonly json: unknown;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** Passes everything on to `handler`, and calls `note` with each answer that came to its end. */
const listening = (
  handler: Dispatcher.DispatchHandler,
  note: (status: number, json: unknown) => void,
): Dispatcher.DispatchHandler => {
  const chunks: Buffer[] = [];
  let status = 0;
  return {
    onRequestStart: (...event) => handler.onRequestStart?.(...event),
    onResponseStart: (...event) => {
      [, status] = event;
      handler.onResponseStart?.(...event);
    },
    onResponseData: (controller, chunk) => {
      chunks.push(Buffer.from(chunk));
      handler.onResponseData?.(controller, chunk);
    },
    onResponseEnd: (...event) => {
      note(status, parseJson(Buffer.concat(chunks).toString('utf8')));
      handler.onResponseEnd?.(...event);
    },
    onResponseError: (...event) => handler.onResponseError?.(...event),
  };
};

/** A way to the network that keeps every answer as it came over the wire, before any client has read it. */
export const createRecorder = (): { readonly dispatcher: Dispatcher; readonly exchanges: Exchange[] } => {
  const exchanges: Exchange[] = [];
  const dispatcher = new Agent().compose((dispatch) => (options, handler) => {
    const request = { method: options.method, path: options.path.replace(/\?.*$/u, '') };
    return dispatch(
      options,
      listening(handler, (status, json) => exchanges.push({ ...request, status, json })),
    );
  });
  return { dispatcher, exchanges };
};
