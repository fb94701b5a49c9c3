import { saysItIsGone } from "../../../provider/lifecycle/waiting/saysItIsGone";

const machine = { id: "1001", isVolume: false };
const volume = { id: "7", isVolume: true };

test.each([
  "rental not found",
  "Rental 1001 was not found",
  "rental with id 1001 does not exist",
  "Rental #1001 could not be found.",
  "VM(1001) no longer exists",
  "virtual machine '1001' not found",
  "virtual-machine rental not found",
  "VM has already ended",
  "the rental is already terminated",
  "this instance has already been deleted",
  "machine is already being terminated",
  "Conflict: rental already terminated",
  "already terminated",
  "no such rental",
  "No such VM: 1001",
  "no such rental (NOT_FOUND)",
  "id 1001 does not exist",
  "1001 not found",
])("%s: there is nothing to end", (reason) => {
  expect(saysItIsGone(reason, machine)).toBe(true);
});

test.each([
  "VM is already locked by another operation",
  "rental already has a pending operation",
  "boot volume not found",
  "no such volume",
  "volume 1001 not found",
  "host machine not found",
  "the image of the VM was deleted",
  "VM image not found",
  "instance type not found",
  "no such instance type",
  "no such VM: 2002",
  "VM 2002 not found",
  "id 2002 does not exist",
  "rental is locked",
  "VM cannot be deleted",
  "VM is not terminated",
  "billing account not found for this rental",
  "Not Found",
  "gone",
])("%s: that may be something else", (reason) => {
  expect(saysItIsGone(reason, machine)).toBe(false);
});

test.each([
  ["storage volume 7 not found", true],
  ["no such storage volume", true],
  ["volume is already deleted", true],
  ["rental not found", false],
  ["volume is already attached", false],
])("of a volume, %s: %s", (reason, isGone) => {
  expect(saysItIsGone(reason, volume)).toBe(isGone);
});
