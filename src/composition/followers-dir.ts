import { join } from 'node:path';
import { SERVER_FOLLOWERS } from '../config/data-files.js';
import type { Environment } from '../config/environment.js';

/**
 * Where a process keeps what follows the log. What follows a cluster has a folder of its own: positions of one log mean
 * nothing in another.
 */
export function followersDir({ dataDir, store }: Environment): string {
  return store.kind === 'sqlite' ? dataDir : join(dataDir, SERVER_FOLLOWERS);
}
