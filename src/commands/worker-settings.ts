/** Who claims, and for how long at a time. */
export class WorkerSettings {
  constructor(
    readonly workerId: string,
    readonly leaseMs: number,
  ) {}
}
