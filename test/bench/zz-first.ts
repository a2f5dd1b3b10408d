import { setUp, endEngine } from './engine.ts';
const count = Number(process.argv[2] ?? 8000);
const rounds = Number(process.argv[3] ?? 1);
for (let i = 0; i < rounds; i += 1) {
  const setup = await setUp(count, 'google');
  const engine = await setup.open();
  const first = await setup.run(engine, 'full');
  console.log(JSON.stringify(first));
  await endEngine(engine);
  await setup.close();
}
process.exit(0);
