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
    help: 'Runs that have ended, by outcome. A run that could not start without a credential counts; a run that waits for its turn does not.',
  },
  runDuration: {
    name: 'contact_sync_run_duration_seconds',
    type: 'histogram',
    labels: ['kind'],
    help: 'Duration of the runs.',
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
    help: 'HTTP requests sent to a side, including retries and token requests.',
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
    help: 'Time since the last completed run; without one, since the daemon began to serve the link. For several links, the longest time of those that do not wait for a user.',
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
