import { testSingleFaults } from "./singleFaultTests";

jest.setTimeout(300_000);

testSingleFaults(["bare"]);
testSingleFaults(["vm"]);
testSingleFaults(["inline"]);
testSingleFaults(["labelled"]);
