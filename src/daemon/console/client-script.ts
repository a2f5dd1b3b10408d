/**
 * The script of every page. It shows times in the reader's zone and relative to now, updates the progress of work, and sends a form
 * once, also after a double click. Without the script, times are in UTC.
 */
export const CLIENT_SCRIPT = `
const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en');
const UNITS = [['day', 86_400_000], ['hour', 3_600_000], ['minute', 60_000]];
const showAge = (time) => {
  const away = Date.parse(time.dateTime) - Date.now();
  const unit = UNITS.find(([, length]) => Math.abs(away) >= length);
  if (unit === undefined) time.textContent = away > 0 ? 'in less than a minute' : 'just now';
  else time.textContent = relative.format((away > 0 ? Math.round : Math.ceil)(away / unit[1]), unit[0]);
};
const showTime = (time) => {
  const exact = format.format(new Date(time.dateTime));
  time.title = 'ago' in time.dataset ? exact : time.dateTime;
  if ('ago' in time.dataset) showAge(time);
  else time.textContent = exact;
};
document.querySelectorAll('time').forEach(showTime);
setInterval(() => document.querySelectorAll('time[data-ago]').forEach(showAge), 30_000);
addEventListener('submit', (event) => {
  if ('sent' in event.target.dataset) event.preventDefault();
  event.target.dataset.sent = '';
});
// A page that the browser shows again after it was left.
addEventListener('pageshow', () => document.querySelectorAll('[data-sent]').forEach((form) => delete form.dataset.sent));
const due = document.querySelector('[data-reload]');
if (due !== null) setTimeout(() => location.reload(), Number(due.dataset.reload));
const live = document.querySelector('[data-live]');
if (live !== null) {
  const bar = live.querySelector('progress');
  let isLeft = false;
  addEventListener('beforeunload', () => (isLeft = true));
  const follow = async () => {
    const answer = await fetch(live.dataset.live).catch(() => null);
    const progress = await answer?.json().catch(() => undefined);
    // A reload must not interrupt the navigation to another page.
    if (isLeft) return;
    // The work, the session or the link has ended.
    if (progress === null || answer?.redirected || answer?.status === 404) return location.reload();
    if (progress !== undefined) live.querySelector('p').textContent = progress.text;
    if (progress?.total > 0) Object.assign(bar, { max: progress.total, value: progress.done });
    setTimeout(follow, progress === undefined ? 2_000 : 0);
  };
  follow();
}
`;
