// Plain JavaScript, in words that any Node understands: the oldest one that it is run by must be able to refuse.

const OLDEST = 24;
const { node } = process.versions;

if (Number(node.split('.')[0]) < OLDEST) {
  process.stderr.write(
    `contact-sync needs Node ${OLDEST} or newer, and this is Node ${node} (${process.execPath}). ` +
      'Install a newer one (https://nodejs.org); in a checkout, npm ci brings one for: npm run -s contact-sync\n',
  );
  process.exit(2);
}
