import { parentPort } from 'node:worker_threads';
import { playTask, type Task } from './simulate.ts';

// A thread of `simulate.ts`: plays one task after the other.
parentPort?.on('message', (task: Task) => {
  void playTask(task).then((results) => parentPort?.postMessage(results, []));
});
