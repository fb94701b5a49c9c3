import { cleanText } from "../../shared/cleanText";
import { isLoopback } from "../../shared/loopback";
import { ConfigurationError } from "../errors";

/** A base URL without a slash at its end. The key must not travel in clear text, so plain http stays on this machine. */
export function readBaseUrl(text: string, option: string): string {
  const shown = cleanText(text, { max: 200 });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new ConfigurationError(`${option} ${JSON.stringify(shown)} is not a URL such as https://host`);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw new ConfigurationError(`${option} ${shown} must use https; plain http is allowed on loopback addresses only`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new ConfigurationError(`${option} ${shown} must not contain a user, password, query or fragment`);
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}
