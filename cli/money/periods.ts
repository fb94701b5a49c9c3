export const hoursPerDay = 24;
/** A twelfth of a year, as price lists count. */
export const hoursPerMonth = 730;
