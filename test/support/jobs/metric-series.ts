/** The value of each series of one metric, by its labels as they are written. */
export const seriesIn = (text: string, name: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, own, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/u.exec(line) ?? [];
      return own === name ? [[labels, Number(value)]] : [];
    }),
  );
