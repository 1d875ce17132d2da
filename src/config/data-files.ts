/**
 * The files of the data folder. Read models, due table and erasures can be deleted and come again; the checkpoints of
 * durable subscribers too, at the price that everything is delivered anew.
 */
export const DATA_FILES = {
  log: 'events.sqlite',
  keys: 'keys.sqlite',
  masterKey: 'master.key',
  readModels: 'read-models.sqlite',
  audit: 'audit.sqlite',
  records: 'records.sqlite',
  due: 'due.sqlite',
  erasures: 'erasures.sqlite',
  subscribers: 'subscribers.sqlite',
  tokenUse: 'token-use.sqlite',
} as const;

export type DataFile = keyof typeof DATA_FILES;

/** The folder, in that of the data, of what follows a log on a server: positions of one log mean nothing in another. */
export const SERVER_FOLLOWERS = 'kurrentdb';
