import { testSingleFaults } from "./singleFaultTests";

jest.setTimeout(300_000);

testSingleFaults(["volume"]);
testSingleFaults(["market"]);
testSingleFaults(["volume", "bare", "attachment"]);
