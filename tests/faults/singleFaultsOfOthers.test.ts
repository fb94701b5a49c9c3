import { programs } from "./singleFaults";
import { testSingleFaults } from "./singleFaultTests";

jest.setTimeout(300_000);

for (const kinds of programs.slice(3)) testSingleFaults(kinds);
