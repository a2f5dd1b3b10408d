import { parentPort } from 'node:worker_threads';
import { playTask, type Task } from './simulate.ts';

// A thread of `simulate.ts` that plays tasks.
parentPort?.on('message', (task: Task) => {
  void playTask(task).then((results) => parentPort?.postMessage(results, []));
});
