/**
 * The files of the data folder. Log, keys and master key are what there is; the subscribers' checkpoints save everything
 * from being delivered anew; the rest can be deleted and comes again.
 */
export const DATA_FILES = {
  log: 'events.sqlite',
  keys: 'keys.sqlite',
  masterKey: 'master.key',
  subscribers: 'subscribers.sqlite',
  readModels: 'read-models.sqlite',
  due: 'due.sqlite',
} as const;

export type DataFile = keyof typeof DATA_FILES;
