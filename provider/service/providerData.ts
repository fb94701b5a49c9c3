import { z } from "zod";
import { answer, documented } from "./answer";

export const networkTypes = ["infiniband", "ethernet"] as const;
export const gpuFormFactors = ["sxm5", "sxm6", "pcie"] as const;

/** Where a machine answers to ssh. */
export const sshEndpoint = answer({ host: z.string(), port: z.number(), user: z.string() });

export const customPorts = z.array(z.int().min(1).max(65535)).max(20);

const resources = answer({
  cpuModel: z.string(),
  gpuCount: z.number(),
  ramGb: z.number(),
  storageGb: z.number(),
});
const withVcpus = resources.extend({ vcpuCount: z.number() });
const withCpus = resources.extend({ cpuCount: z.number() });
const withEither = z.union([withVcpus, withCpus]);

const shared = {
  externalId: z.string().optional(),
  sshNetworking: z.array(sshEndpoint).optional(),
  nodeNetworking: z.array(answer({ publicIp: z.string(), privateIp: z.string() })).optional(),
  networkType: documented(networkTypes).optional(),
  gpuFormFactor: documented(gpuFormFactors).optional(),
};

/** The identifiers of the eight third-party providers are not given: any string but the two that are named. */
const thirdParty = z.string().refine((id) => id !== "mock" && id !== "private-cloud");

function variant<Shape extends z.ZodRawShape>(shape: Shape) {
  return answer({ ...shared, ...shape });
}

/**
 * The ten variants. As the third-party identifiers are unknown, a record of theirs is read as the first of V1 to V8 that
 * it fits, the more particular ones first.
 */
const variants = {
  mock: variant({ providerId: z.literal("mock"), resources: withVcpus, customPorts: customPorts.optional() }),
  privateCloud: variant({
    providerId: z.literal("private-cloud"),
    resources: withEither,
    gpuModel: z.string().optional(),
    location: z.string().optional(),
    benchmark: answer({}).optional(),
    nodes: z.array(
      answer({
        role: documented(["login", "head", "compute"]).default("compute"),
        hostname: z.string().optional(),
        publicIp: z.string().optional(),
        privateIp: z.string(),
      }),
    ),
    sshUser: z.string(),
    sshPort: z.number().optional(),
    extra: answer({}).optional(),
  }),
  v1: variant({ providerId: thirdParty, resources: withVcpus }),
  v2: variant({
    providerId: thirdParty,
    resources: withEither,
    networkType: documented(networkTypes),
    subOrder: z.string().optional(),
    portForwards: z.array(answer({ externalPort: z.number(), internalPort: z.number() })).optional(),
  }),
  v3: variant({ providerId: thirdParty, resources: withCpus }),
  v4: variant({ providerId: thirdParty, resources: withVcpus, publicIpAddressId: z.string().optional() }),
  v5: variant({
    providerId: thirdParty,
    resources: withVcpus,
    poolType: documented(["public", "contracted"]).nullable().optional(),
  }),
  v6: variant({ providerId: thirdParty, resources: withVcpus }),
  v7: variant({ providerId: thirdParty, resources: withVcpus }),
  v8: variant({ providerId: thirdParty, resources: withEither, customPorts: customPorts.optional() }),
};

export const providerData = z.union([
  variants.mock,
  variants.privateCloud,
  variants.v8,
  variants.v2,
  variants.v5,
  variants.v4,
  variants.v1,
  variants.v3,
  variants.v6,
  variants.v7,
]);
