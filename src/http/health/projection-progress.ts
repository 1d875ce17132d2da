/** How far the read models are behind the log. */
export abstract class ProjectionProgress {
  /** Milliseconds for which they have known of events that they have not taken in, or have not seen the log; 0 when up to date. */
  abstract behindMs(): number;
}
