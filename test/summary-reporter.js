// @ts-check

/**
 * Ends a test run with one plain line, `N passed, N failed` (`, N skipped` where some were), for programs that count.
 *
 * A file that could not run at all has no tests that failed, so it is counted as one failure itself. A run in which no
 * test was executed has shown nothing: it fails.
 */
export default class SummaryReporter {
  #executed = 0;

  /**
   * @param {unknown} _contexts
   * @param {Record<'numPassedTests' | 'numFailedTests' | 'numPendingTests' | 'numTodoTests' | 'numRuntimeErrorTestSuites', number>} results
   */
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    this.#executed = results.numPassedTests + results.numFailedTests;
    const counts = [
      `${results.numPassedTests} passed`,
      `${failed} failed`,
      ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    ];
    // Jest's own summary comes behind every other reporter, and this line is to be the last.
    process.once('exit', () => {
      if (this.#executed === 0) process.stderr.write('No test was executed.\n');
      process.stdout.write(`${counts.join(', ')}\n`);
    });
  }

  /** Jest asks for it at the end, and fails the run when there is one. */
  getLastError() {
    return this.#executed === 0 ? new Error('no test was executed') : undefined;
  }
}
