import * as grpc from "@grpc/grpc-js";
import * as services from "@pulumi/pulumi/proto/engine_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/engine_pb";
import { runPlugin } from "../provider/fronts/plugin";
import { messageOf } from "../provider/shared/messageOf";
import { declarePackageVersion } from "../provider/shared/packageVersion";
import { construct } from "./component";
import { functions } from "./functions";

/** Put in when the plugin is made one file (tools/bootstrap/bundles.js). */
declare const PLUGIN_SCHEMA: string;
declare const PLUGIN_VERSION: string;

declarePackageVersion(PLUGIN_VERSION);
runPlugin({
  protocol: { grpc, services, messages },
  schema: { read: () => PLUGIN_SCHEMA },
  functions,
  construct,
}).catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
});
