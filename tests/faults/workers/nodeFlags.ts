import { typescript } from "../../../tools/bootstrap/paths";

/** For a process that plays schedules: it makes much that is soon forgotten, and with little room would spend a tenth of its time on that. */
export const nodeFlags = ["--max-semi-space-size=64", "--require", typescript];
