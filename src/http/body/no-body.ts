import { BodyMayBeAbsent } from './free-part.js';

/** Of a call that takes nothing: an empty object is as good as no body, and every property is an unknown one. */
@BodyMayBeAbsent()
export class NoBody {}
