import { type ServiceOptions, spawnService } from './service.js';

export interface FailedStart {
  readonly code: number | null;
  /** Everything that was printed, on both streams. */
  readonly output: string;
}

/** Starts a service that is to end by itself before it serves anybody. One that listens is ended, and its code is null. */
export function failedStart(options: ServiceOptions): Promise<FailedStart> {
  const child = spawnService(options);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
      if (output.includes('Holdpoint listens')) child.kill('SIGKILL');
    });
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}
