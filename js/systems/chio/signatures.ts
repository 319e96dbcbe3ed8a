// Hashes and signatures, by the platform.

import { AgentError } from "../../api/error.js";

/** A signed value. Keys and signatures are hexadecimal. */
export interface Signed {
  /** The bodies that may have been signed. */
  readonly bodies: readonly string[];
  readonly algorithm: "ed25519" | "p256" | "p384";
  readonly key: string;
  readonly signature: string;
}

const encoder = new TextEncoder();

export async function digest(text: string): Promise<string> {
  const hash = await subtle().digest("SHA-256", encoder.encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const ALGORITHMS = {
  ed25519: { key: { name: "Ed25519" }, verify: { name: "Ed25519" }, bytes: 0 },
  p256: { key: { name: "ECDSA", namedCurve: "P-256" }, verify: { name: "ECDSA", hash: "SHA-256" }, bytes: 32 },
  p384: { key: { name: "ECDSA", namedCurve: "P-384" }, verify: { name: "ECDSA", hash: "SHA-384" }, bytes: 48 },
} as const;

export async function verify({ bodies, algorithm, key, signature }: Signed): Promise<boolean> {
  const { key: kind, verify: how, bytes } = ALGORITHMS[algorithm];
  const signed = bytes ? fromDer(toBytes(signature), bytes) : toBytes(signature);
  if (!signed) return false;
  try {
    const imported = await subtle().importKey("raw", toBytes(key), kind, false, ["verify"]);
    for (const body of bodies) if (await subtle().verify(how, imported, signed, encoder.encode(body))) return true;
    return false;
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : "";
    // A key that is no point of the curve is as good as any that did not sign.
    if (AgentError.is(cause) || (name !== "NotSupportedError" && name !== "SyntaxError")) {
      if (AgentError.is(cause)) throw cause;
      return false;
    }
    const message = `This platform cannot verify signatures of ${how.name}`;
    throw new AgentError({ kind: "unsupported", code: algorithm, message, cause });
  }
}

function subtle(): SubtleCrypto {
  const found = globalThis.crypto?.subtle;
  if (found) return found;
  const message = "This platform has no SubtleCrypto: pages have it over https and on localhost";
  throw new AgentError({ kind: "unsupported", code: "crypto", message });
}

function toBytes(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** A signature of two numbers in DER as the two, each of so many bytes. */
function fromDer(der: Uint8Array, size: number): Uint8Array<ArrayBuffer> | undefined {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined;
  const plain = new Uint8Array(size * 2);
  let at = 2;
  for (const end of [size, size * 2]) {
    const length = der[at + 1];
    if (der[at] !== 2 || !length) return undefined;
    let number = der.subarray(at + 2, at + 2 + length);
    at += 2 + length;
    if (number[0] === 0) number = number.subarray(1);
    if (number.length > size || at > der.length) return undefined;
    plain.set(number, end - number.length);
  }
  return at === der.length ? plain : undefined;
}
