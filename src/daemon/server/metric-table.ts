/** A metric of Prometheus. */
export type Metric = {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
};

/** All metrics of this program. Metrics of the process (`process_...`, `nodejs_...`) come from the client library. */
export const METRICS = {
  info: {
    name: 'contact_sync_info',
    type: 'gauge',
    labels: ['version'],
    help: 'Always 1; the label is the version.',
  },
  runs: {
    name: 'contact_sync_runs_total',
    type: 'counter',
    labels: ['link', 'kind', 'outcome'],
    help: 'Runs that have ended, by how; one that could not begin, for want of a credential, counts too, and not one that waits for its turn.',
  },
  runDuration: {
    name: 'contact_sync_run_duration_seconds',
    type: 'histogram',
    labels: ['kind'],
    help: 'How long runs took.',
  },
  writes: {
    name: 'contact_sync_writes_total',
    type: 'counter',
    labels: ['link', 'side', 'action'],
    help: 'Contacts written (created, updated, deleted) and groups deleted, counted when their run has ended.',
  },
  conflicts: {
    name: 'contact_sync_conflicts_total',
    type: 'counter',
    labels: ['link'],
    help: 'Fields that both sides had changed.',
  },
  refused: {
    name: 'contact_sync_refused_writes',
    type: 'gauge',
    labels: ['link'],
    help: 'Writes that a side refused, and that wait for their next attempt; status names them.',
  },
  requests: {
    name: 'contact_sync_requests_total',
    type: 'counter',
    labels: ['link', 'side'],
    help: 'HTTP requests sent to a side, further attempts and those for tokens included.',
  },
  budgetUsed: {
    name: 'contact_sync_budget_used_ratio',
    type: 'gauge',
    labels: ['link', 'side'],
    help: "Share of a side's rate limit that is used now, 0 to 1; of several limits and links the largest.",
  },
  rateLimited: {
    name: 'contact_sync_rate_limited_total',
    type: 'counter',
    labels: ['link', 'side'],
    help: 'Answers 429: another program uses the same limit, or it is lower than configured.',
  },
  lag: {
    name: 'contact_sync_link_lag_seconds',
    type: 'gauge',
    labels: ['link'],
    help: 'Time since the last completed run, or since the daemon took the link up where there was none; of several links the longest, without those that wait for a person.',
  },
  interval: {
    name: 'contact_sync_link_interval_seconds',
    type: 'gauge',
    labels: ['link'],
    help: 'SYNC_INTERVAL of the link; of several links the longest.',
  },
  state: {
    name: 'contact_sync_link_state',
    type: 'gauge',
    labels: ['link', 'state'],
    help: 'Links in this state (active, paused, halted, failing): 0 or 1, or how many of several.',
  },
  pausedByHand: {
    name: 'contact_sync_link_paused_by_hand',
    type: 'gauge',
    labels: ['link'],
    help: 'Links paused by hand, in addition to their state: 0 or 1, or the number of several.',
  },
  jobs: {
    name: 'contact_sync_queue_jobs',
    type: 'gauge',
    labels: ['state'],
    help: 'Jobs that are due (waiting) and under way (active), of all daemons on the queue; none while Redis does not answer.',
  },
  queueUp: {
    name: 'contact_sync_queue_up',
    type: 'gauge',
    labels: [],
    help: '1 while the job queue can be used; timers in the process always can.',
  },
} as const satisfies Readonly<Record<string, Metric>>;
