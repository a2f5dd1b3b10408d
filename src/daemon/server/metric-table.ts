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
    help: 'Runs that ended, and runs that did not begin because a credential is missing.',
  },
  runDuration: {
    name: 'contact_sync_run_duration_seconds',
    type: 'histogram',
    labels: ['kind'],
    help: 'Duration of runs.',
  },
  writes: {
    name: 'contact_sync_writes_total',
    type: 'counter',
    labels: ['link', 'side', 'action'],
    help: 'Contacts created, updated and deleted, and groups changed (created or renamed) and deleted, counted at the end of their run.',
  },
  conflicts: {
    name: 'contact_sync_conflicts_total',
    type: 'counter',
    labels: ['link'],
    help: 'Fields that both sides changed.',
  },
  refused: {
    name: 'contact_sync_refused_writes',
    type: 'gauge',
    labels: ['link'],
    help: 'Refused writes that wait for their next attempt.',
  },
  requests: {
    name: 'contact_sync_requests_total',
    type: 'counter',
    labels: ['link', 'side'],
    help: 'HTTP requests to a side, with retries and requests for tokens.',
  },
  budgetUsed: {
    name: 'contact_sync_budget_used_ratio',
    type: 'gauge',
    labels: ['link', 'side'],
    help: "Used share of a side's rate limit, 0 to 1; of several limits the largest.",
  },
  rateLimited: {
    name: 'contact_sync_rate_limited_total',
    type: 'counter',
    labels: ['link', 'side'],
    help: 'Answers 429: another program uses the limit, or it is lower than configured.',
  },
  lag: {
    name: 'contact_sync_link_lag_seconds',
    type: 'gauge',
    labels: ['link'],
    help: 'Time since the last completed run, or since the daemon started to serve the link.',
  },
  interval: {
    name: 'contact_sync_link_interval_seconds',
    type: 'gauge',
    labels: ['link'],
    help: 'SYNC_INTERVAL of the link.',
  },
  state: {
    name: 'contact_sync_link_state',
    type: 'gauge',
    labels: ['link', 'state'],
    help: '1 for the state of the link: active, paused, halted or failing.',
  },
  pausedByHand: {
    name: 'contact_sync_link_paused_by_hand',
    type: 'gauge',
    labels: ['link'],
    help: '1 if the link is paused by hand, in any state.',
  },
  jobs: {
    name: 'contact_sync_queue_jobs',
    type: 'gauge',
    labels: ['state'],
    help: 'Due (waiting) and current (active) jobs of all daemons on the queue; absent while Redis does not answer.',
  },
  queueUp: {
    name: 'contact_sync_queue_up',
    type: 'gauge',
    labels: [],
    help: '1 while the job queue can be used; always 1 without Redis.',
  },
} as const satisfies Readonly<Record<string, Metric>>;
