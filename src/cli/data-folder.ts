import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DATA_FILES, type DataFile, SERVER_FOLLOWERS } from '../config/data-files.js';
import { type Environment, loadEnvironment } from '../config/environment.js';
import type { MasterKeySource } from '../event-store/master-key-file.js';
import { findMasterKeys } from '../event-store/master-key-file.js';
import type { MasterKeys } from '../event-store/master-keys.js';
import { CannotRun } from './failures.js';

/** What is on the server where the log is, and nowhere in the folder. */
const ON_SERVER: ReadonlySet<DataFile> = new Set(['log', 'keys']);

/** The data folder that a command works on, and where its log is. */
export class DataFolder {
  private constructor(
    readonly path: string,
    private readonly environment: Environment,
  ) {}

  /** The folder that was named, else that of the environment. @throws {EnvironmentInvalid} */
  static find(named: string | undefined): DataFolder {
    const environment = loadEnvironment(process.env);
    return new DataFolder(named === undefined ? environment.dataDir : resolve(named), environment);
  }

  /** The connection string of the server that keeps log and keys; undefined where they are files of the folder. */
  get server(): string | undefined {
    const { store } = this.environment;
    return store.kind === 'sqlite' ? undefined : store.connectionString;
  }

  readonly file = (name: DataFile): string => {
    const follows = this.server !== undefined && name !== 'masterKey';
    return join(this.path, ...(follows ? [SERVER_FOLLOWERS] : []), DATA_FILES[name]);
  };

  has(name: DataFile): boolean {
    return existsSync(this.file(name));
  }

  /** For commands that copy files. @throws {CannotRun} log and keys are on a server. */
  assertFiles(): void {
    if (this.server === undefined) return;
    throw new CannotRun(
      "HOLDPOINT_STORE names a server, which has the log and the keys: use the server's own backup and restore, and keep the master key apart from it. docs/kurrentdb.md says how. Nothing was done.",
    );
  }

  /**
   * SQLite makes files beside a database that is opened, also to read it. Those of root would shut out a service that
   * runs as somebody else.
   *
   * @param needed files that have to be there; what is on a server is not looked for.
   * @throws {CannotRun} there is no such folder or file, or this is root and the folder is somebody else's.
   */
  assertReady(...needed: readonly DataFile[]): void {
    const files = this.server === undefined ? needed : needed.filter((name) => !ON_SERVER.has(name));
    // Who works on the server alone needs no folder.
    if (this.server !== undefined && files.length === 0 && !existsSync(this.path)) return;
    if (!existsSync(this.path)) throw new CannotRun(`There is no data folder ${this.path}.`);
    if (process.getuid?.() === 0 && statSync(this.path).uid !== 0) {
      throw new CannotRun(
        `Run this as the user that owns ${this.path}: files made by root would shut the service out.`,
      );
    }
    for (const name of files) {
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
