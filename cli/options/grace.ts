/** The minimum age of an orphan, unless another is given: what another run is creating is listed before it is in the state. */
export const defaultGraceMinutes = 60;
