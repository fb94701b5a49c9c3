import type { Values } from "../lifecycle";
import { type BareMetalRental, gpuTypes, inDocumentedLetters, networkTypes, regions, type VmRental } from "../service";
import { accountOf } from "./account";

/** A rental of either kind; the answer to a create has no term. */
type Rental = BareMetalRental & Partial<Pick<VmRental, "currentTerm">>;

/** What records of both kinds of rental show from their creation on. */
export function viewOfRental(rental: Rental) {
  return {
    id: String(rental.id),
    label: rental.label ?? undefined,
    region: inDocumentedLetters(regions.all, rental.region),
    createdAt: rental.createdAt,
    account: accountOf(rental),
    ssh: rental.providerData?.sshNetworking?.map(({ host, port, user }) => ({ host, port, user })),
    size: rental.gpuCount === undefined ? undefined : `${rental.gpuCount}×${rental.gpuType ?? "GPU"}`,
  };
}

export function inputsShownBy(rental: Rental, networkType?: string | null): Values {
  return {
    label: rental.label ?? undefined,
    region: inDocumentedLetters(regions.all, rental.region),
    gpuType: inDocumentedLetters(gpuTypes, rental.gpuType),
    gpuCount: rental.gpuCount,
    // What becomes of a term says something only while there is one: of others, services show what they like.
    ...(rental.currentTerm?.termType === "reserved" && {
      convertToOnDemandOnExpiry: rental.convertToOnDemandOnExpiry ?? undefined,
    }),
    networkType: inDocumentedLetters(networkTypes, networkType),
  };
}
