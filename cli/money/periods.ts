export { hoursPerMonth } from "../../provider/shared/money";
export const hoursPerDay = 24;
