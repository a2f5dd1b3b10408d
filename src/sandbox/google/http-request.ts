import type { HonoRequest } from 'hono';

/** The method that a request means: a POST may name another one in its header, for a query too long for a URL. */
export function methodOf(request: HonoRequest): string {
  return overrideOf(request) ?? request.method;
}

/** What a request says besides its method and path. */
export interface RequestContent {
  /** The query with its question mark, or nothing; the body of a long read is part of it. */
  readonly search: string;
  readonly body: string;
}

/** Reads the query and the body. The form that a POST carries in place of a GET is query. */
export async function contentOf(request: HonoRequest): Promise<RequestContent> {
  const { search } = new URL(request.url);
  const body = await request.text();
  const isForm = request.header('content-type')?.startsWith('application/x-www-form-urlencoded') ?? false;
  if (overrideOf(request) !== 'GET' || !isForm) return { search, body };
  return { search: `?${[search.slice(1), body].filter(Boolean).join('&')}`, body: '' };
}

function overrideOf(request: HonoRequest): string | undefined {
  return request.method === 'POST' ? request.header('x-http-method-override')?.toUpperCase() : undefined;
}
