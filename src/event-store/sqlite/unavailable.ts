import { DatabaseUnavailable } from '../../sqlite/errors.js';
import { StoreUnavailable } from '../errors.js';

/** The driver module's error in the words of the ports; what is not about availability stays as it is. */
export function asStoreError(error: unknown): unknown {
  if (!(error instanceof DatabaseUnavailable)) return error;
  return new StoreUnavailable(error.message, error.outcomeUnknown, { cause: error });
}

/** Runs the action and throws its errors in the words of the ports. */
export async function inPortWords<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw asStoreError(error);
  }
}
