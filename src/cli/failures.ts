/** What was typed makes no sense: exit code 2. */
export class UsageMistake extends Error {
  override readonly name = 'UsageMistake';
}

/** The command could not begin, or had to give up without having found out anything: exit code 3. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}
