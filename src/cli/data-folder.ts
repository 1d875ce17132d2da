import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DATA_FILES, type DataFile } from '../config/data-files.js';
import { type Environment, loadEnvironment } from '../config/environment.js';
import type { MasterKeySource } from '../event-store/master-key-file.js';
import { findMasterKeys } from '../event-store/master-key-file.js';
import type { MasterKeys } from '../event-store/master-keys.js';
import { CannotRun } from './failures.js';

/** The data folder that a command works on. */
export class DataFolder {
  private constructor(
    readonly path: string,
    private readonly environment: Environment,
  ) {}

  /**
   * The folder that was named, else that of the environment.
   *
   * @throws {EnvironmentInvalid} @throws {CannotRun} the log is not in a folder.
   */
  static find(named: string | undefined): DataFolder {
    const environment = loadEnvironment(process.env);
    if (environment.store.kind !== 'sqlite') {
      throw new CannotRun('HOLDPOINT_STORE names a server: back up and check its log with its own tools.');
    }
    return new DataFolder(named === undefined ? environment.dataDir : resolve(named), environment);
  }

  file(name: DataFile): string {
    return join(this.path, DATA_FILES[name]);
  }

  has(name: DataFile): boolean {
    return existsSync(this.file(name));
  }

  /**
   * SQLite makes files beside a database that is opened, also to read it. Those of root would shut out a service that
   * runs as somebody else.
   *
   * @throws {CannotRun} there is no such folder or file, or this is root and the folder is somebody else's.
   */
  assertReady(...needed: readonly DataFile[]): void {
    if (!existsSync(this.path)) throw new CannotRun(`There is no data folder ${this.path}.`);
    if (process.getuid?.() === 0 && statSync(this.path).uid !== 0) {
      throw new CannotRun(
        `Run this as the user that owns ${this.path}: files made by root would shut the service out.`,
      );
    }
    for (const name of needed) {
      if (!this.has(name)) throw new CannotRun(`There is no ${DATA_FILES[name]} in ${this.path}.`);
    }
  }

  /** Where the master keys are: those of the environment count where there are any, as for the service. */
  get masterKeySource(): MasterKeySource {
    return {
      fromEnvironment: this.environment.masterKey,
      nextFromEnvironment: this.environment.nextMasterKey,
      file: this.file('masterKey'),
      hasSealedData: true,
    };
  }

  /** @throws {MasterKeyUnusable} */
  masterKeys(): MasterKeys {
    return findMasterKeys(this.masterKeySource);
  }
}
