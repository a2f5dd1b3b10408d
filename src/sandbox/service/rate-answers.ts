import { errorResponse, ServiceError } from './errors.ts';
import type { Admission } from './rate-limiter.ts';
import type { ServiceVariants } from './variants.ts';

const SECOND_MS = 1000;
const UNITS: Readonly<Record<number, string>> = { 1000: 'second', 60_000: 'minute', 3_600_000: 'hour' };

const limitText = ({ limit }: Admission, variants: ServiceVariants): string => {
  if (variants.limitHeader === 'number') return String(limit.requests);
  return `${limit.requests}/${UNITS[limit.windowMs] ?? `${limit.windowMs / SECOND_MS}s`}`;
};

const remaining = (admission: Admission, variants: ServiceVariants): number => {
  switch (variants.limitRemaining) {
    case 'after':
      return admission.remaining;
    case 'before':
      return admission.remainingBefore;
    case 'never-below-1':
      return Math.max(1, admission.remaining);
    case 'stale':
      return Math.min(admission.limit.requests, Math.ceil(admission.remaining / 10) * 10);
  }
};

const reset = ({ resetMs }: Admission, variants: ServiceVariants, nowMs: number): number => {
  switch (variants.limitReset) {
    case 'seconds':
      return Math.ceil(resetMs / SECOND_MS);
    case 'seconds-floor':
      return Math.floor(resetMs / SECOND_MS);
    case 'epoch-seconds':
      return Math.ceil((nowMs + resetMs) / SECOND_MS);
    case 'milliseconds':
      return Math.ceil(resetMs);
  }
};

/** The rate limit headers of an answer by its status (providers/service/API.md, Limits); empty where it has none. */
export const rateHeaders = (
  admission: Admission,
  status: number,
  variants: ServiceVariants,
  nowMs: number,
): Readonly<Record<string, string>> => {
  if (variants.limitHeadersOn === 'not-429' && !admission.isAllowed) return {};
  if (variants.limitHeadersOn === 'success' && status >= 300) return {};
  return {
    'X-Rate-Limit-Limit': limitText(admission, variants),
    'X-Rate-Limit-Remaining': String(remaining(admission, variants)),
    'X-Rate-Limit-Reset': String(reset(admission, variants, nowMs)),
  };
};

const LIMIT_STATUS = {
  '429-retry-after': 429,
  '429-plain': 429,
  '429-http-date': 429,
  '503': 503,
  '403': 403,
  '200-with-errors': 200,
} satisfies Record<ServiceVariants['limitAnswer'], number>;

/** The answer to a request above the limit. */
export const overLimitResponse = (admission: Admission, variants: ServiceVariants, nowMs: number): Response => {
  const error = new ServiceError(LIMIT_STATUS[variants.limitAnswer], 'Rate limit exceeded');
  const response = errorResponse(error, variants);
  const waitSeconds = Math.max(1, Math.ceil(admission.resetMs / SECOND_MS));
  if (variants.limitAnswer === '429-retry-after') response.headers.set('Retry-After', String(waitSeconds));
  if (variants.limitAnswer === '429-http-date') {
    response.headers.set('Retry-After', new Date(nowMs + waitSeconds * SECOND_MS).toUTCString());
  }
  return response;
};
