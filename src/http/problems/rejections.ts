import type { Problem } from './problem.js';

/** What each reason of a command to say no looks like over HTTP: exhaustive, so that a new reason does not compile without its problem. */
export type ProblemsOf<Rejection extends { readonly code: string }> = {
  readonly [Code in Rejection['code']]: (rejection: Extract<Rejection, { readonly code: Code }>) => Problem;
};

/** What a command was accepted with. @throws {Problem} the one that its rejection stands for */
export function acceptedOrProblem<
  Rejection extends { readonly code: string },
  Result extends { readonly outcome: string },
>(
  problems: ProblemsOf<Rejection>,
  result: Result | { readonly outcome: 'rejected'; readonly rejection: Rejection },
): Exclude<Result, { readonly outcome: 'rejected' }> {
  if (result.outcome === 'rejected') {
    throw problemFor(problems, (result as { readonly rejection: Rejection }).rejection);
  }
  return result as Exclude<Result, { readonly outcome: 'rejected' }>;
}

function problemFor<Rejection extends { readonly code: string }>(
  problems: ProblemsOf<Rejection>,
  rejection: Rejection,
): Problem {
  // The table is total, which TypeScript cannot carry through the union.
  const problem = problems[rejection.code as Rejection['code']] as (rejection: Rejection) => Problem;
  return problem(rejection);
}
