import { join } from 'node:path';
import { DATA_FILES } from '../config/data-files.js';
import type { Environment } from '../config/environment.js';
import type { MasterKeySource } from '../event-store/master-key-file.js';

/** Where a process finds the master key, and the next one while it is being changed. */
export function masterKeySource(environment: Environment, hasSealedData: boolean): MasterKeySource {
  return {
    fromEnvironment: environment.masterKey,
    nextFromEnvironment: environment.nextMasterKey,
    file: join(environment.dataDir, DATA_FILES.masterKey),
    hasSealedData,
  };
}
