/**
 * The script of every page. It shows times in the reader's zone and relative to now, and updates the progress of work. Without
 * the script, times are in UTC.
 */
export const CLIENT_SCRIPT = `
const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en');
const UNITS = [['day', 86_400_000], ['hour', 3_600_000], ['minute', 60_000], ['second', 1_000]];
const showAge = (time) => {
  const away = Date.parse(time.dateTime) - Date.now();
  const [unit, length] = UNITS.find(([, length]) => Math.abs(away) >= length) ?? UNITS.at(-1);
  time.textContent = relative.format((away > 0 ? Math.round : Math.ceil)(away / length), unit);
};
const showTime = (time) => {
  time.title = time.textContent = format.format(new Date(time.dateTime));
  if ('ago' in time.dataset) showAge(time);
};
document.querySelectorAll('time').forEach(showTime);
setInterval(() => document.querySelectorAll('time[data-ago]').forEach(showAge), 30_000);
const live = document.querySelector('[data-live]');
if (live !== null) {
  const bar = live.querySelector('progress');
  let isLeft = false;
  addEventListener('beforeunload', () => (isLeft = true));
  const follow = async () => {
    const progress = await fetch(live.dataset.live).then((answer) => answer.json(), () => undefined);
    // A reload must not interrupt the navigation to another page.
    if (isLeft) return;
    if (progress === null) return location.reload();
    if (progress !== undefined) live.querySelector('p').textContent = progress.text;
    if (progress?.total > 0) Object.assign(bar, { max: progress.total, value: progress.done });
    setTimeout(follow, progress === undefined ? 2_000 : 0);
  };
  follow();
}
`;
