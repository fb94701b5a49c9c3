/**
 * State in PostgreSQL
 *
 * State in PostgreSQL, for a team that shares a stack.
 *
 * No bucket and no Pulumi account are needed. Everybody in the team uses the same address and passphrase.
 *
 * ```sh
 * createdb pulumi
 * export PULUMI_BACKEND_URL='postgres://team@db.example:5432/pulumi?sslmode=require'
 * export PULUMI_CONFIG_PASSPHRASE='one for the whole team'
 * pulumi stack init dev
 * pulumi up
 * ```
 *
 * If two people run `pulumi up` at the same time, one of them gets the error that the stack is locked, and nothing is rented twice.
 */

import { VmRental } from "pulumi-gpufleet";

// Where the state is kept is not part of the program: PULUMI_BACKEND_URL says it.
const shared = ["alice", "bob"].map((name) => new VmRental(`${name}-box`, { gpuCount: 1 }));

export const ssh = shared.map((box) => box.sshCommand);
