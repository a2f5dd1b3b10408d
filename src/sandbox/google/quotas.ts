import { ApiError, errorInfo } from './api-error.ts';
import type { GoogleVariants } from './variants.ts';

/** Quotas per minute and user. */
export interface GoogleQuotas {
  readonly readsPerMinute: number;
  readonly writesPerMinute: number;
}

const criticalMetrics = {
  read: {
    title: 'Critical read requests (Contact and Profile Reads)',
    limitTitle: 'Critical read requests (Contact and Profile Reads) per minute per user',
    limit: 'CriticalReadsPerMinutePerProjectPerUser',
    metric: 'people.googleapis.com/critical_read_requests',
  },
  write: {
    title: 'Critical write requests',
    limitTitle: 'Critical write requests per minute per user',
    limit: 'CriticalWritesPerMinutePerProjectPerUser',
    metric: 'people.googleapis.com/critical_write_requests',
  },
} as const;

/** Returns the 429 for an exhausted critical quota. */
export function quotaExceeded(kind: keyof typeof criticalMetrics, variants: GoogleVariants): ApiError {
  if (variants.quotaBody === 'quotaFailure') return internalQuotaExceeded(variants);
  const { title, limitTitle, limit, metric } = criticalMetrics[kind];
  const message =
    `Quota exceeded for quota metric '${title}' and limit '${limitTitle}' of service 'people.googleapis.com' ` +
    `for consumer 'project_number:123'.`;
  const details = errorInfo('RATE_LIMIT_EXCEEDED', 'googleapis.com', {
    consumer: 'projects/123',
    quota_limit: limit,
    service: 'people.googleapis.com',
    quota_metric: metric,
  });
  return new ApiError('RESOURCE_EXHAUSTED', message, details, retryHeaders(variants));
}

/** Returns the 429 for an exhausted internal quota. */
function internalQuotaExceeded(variants: GoogleVariants): ApiError {
  const details = [
    {
      '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
      violations: [{ subject: 'QUOTA_EXCEEDED', description: 'FBS quota limit exceeded' }],
    },
  ];
  const message = 'Resource has been exhausted (e.g. check quota).';
  return new ApiError('RESOURCE_EXHAUSTED', message, details, retryHeaders(variants));
}

function retryHeaders(variants: GoogleVariants): Record<string, string> {
  return variants.retryAfter === 'present' ? { 'retry-after': '60' } : {};
}
