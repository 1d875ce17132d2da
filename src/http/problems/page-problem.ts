import { PageRequestInvalid } from '../../projections/runs/list-runs.query.js';
import { invalidRequest } from './problem.js';

/** A page of a list. @throws {Problem} `invalid-request` where its cursor or limit is not one of this list */
export async function pageOrProblem<List>(read: () => Promise<List>): Promise<List> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof PageRequestInvalid)) throw error;
    const message = error.fault === 'cursor' ? 'must be a `nextCursor` of this list' : 'is not a size of a page';
    throw invalidRequest([{ pointer: `/${error.fault}`, message }]);
  }
}
