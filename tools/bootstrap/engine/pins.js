/** Which engine: the one that is tested, the oldest that will do, and where its parts come from. */
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");

/** The engine that is got when none is installed, and that the tests are known to pass with. */
const VERSION = "3.259.0";

/**
 * The first whose `destroy` has `--run-program`: without it a changed configuration never reaches the destroy of a
 * resource, and what it rents goes on billing.
 */
const MINIMUM_VERSION = "3.160.0";

const INSTALL_COMMAND = "curl -fsSL https://get.pulumi.com | sh";

const LAUNCHER = "pulumi-resource-pulumi-nodejs";
const EXECUTABLES = ["pulumi", "pulumi-language-nodejs", LAUNCHER];

/**
 * One Go module each, with go.mod and go.sum beside this file: what is built is pinned and verified. The language host
 * is older because later versions of it live in a module without versions; this one runs current programs. The weight is how
 * long it takes beside the others.
 */
const GO_MODULES = [
  {
    executable: "pulumi",
    folder: path.join(__dirname, "cli"),
    package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
    // Without the stamp `pulumi version` prints nothing.
    linkerFlags: `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${VERSION}`,
    weight: 12,
  },
  {
    executable: "pulumi-language-nodejs",
    folder: path.join(__dirname, "language-nodejs"),
    package: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
    linkerFlags: "-s -w",
    weight: 1,
  },
];

/** Names the cached engine: another version, other pins or another platform is another folder. */
function cacheKey() {
  const hash = createHash("sha256");
  for (const module of GO_MODULES) {
    hash.update(`${module.package}\n${module.linkerFlags}\n`);
    for (const file of ["go.mod", "go.sum"]) hash.update(fs.readFileSync(path.join(module.folder, file)));
  }
  return `${VERSION}-${process.platform}-${process.arch}-${hash.digest("hex").slice(0, 12)}`;
}

module.exports = { EXECUTABLES, GO_MODULES, INSTALL_COMMAND, LAUNCHER, MINIMUM_VERSION, VERSION, cacheKey };
