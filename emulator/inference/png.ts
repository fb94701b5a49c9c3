import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";

const deflated = promisify(deflate);
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const bytesPerPixel = 3;

export type Colour = readonly [red: number, green: number, blue: number];

/** A PNG (8-bit RGB) that fades from one colour in the top left corner to the other in the bottom right one. */
export async function gradientPng(width: number, height: number, from: Colour, to: Colour): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = await deflated(scanlines(width, height, from, to), { level: 1 });
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

function scanlines(width: number, height: number, from: Colour, to: Colour): Buffer {
  // Each line begins with the number of its filter, here 0 for none.
  const stride = 1 + width * bytesPerPixel;
  const bytes = Buffer.alloc(stride * height);
  const steps = Math.max(1, width + height - 2);
  for (let y = 0; y < height; y++) {
    for (let x = 0, at = y * stride + 1; x < width; x++, at += bytesPerPixel) {
      const share = (x + y) / steps;
      bytes[at] = from[0] + (to[0] - from[0]) * share;
      bytes[at + 1] = from[1] + (to[1] - from[1]) * share;
      bytes[at + 2] = from[2] + (to[2] - from[2]) * share;
    }
  }
  return bytes;
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(typed.length + 8);
  framed.writeUInt32BE(data.length, 0);
  typed.copy(framed, 4);
  framed.writeUInt32BE(crc32(typed), typed.length + 4);
  return framed;
}
