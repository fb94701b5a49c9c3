/**
 * MPEG-1 Layer III by hand: mono, 32 kHz, 32 kbit/s, every frame on its own. A frame holds two granules of 576 spectral
 * lines; a tone is one line set to 1, silence is none. Field widths and the code table are those of ISO 11172-3.
 */
export const sampleRate = 32_000;
const samplesPerFrame = 1152;
const frameBytes = 144;
export const frameSeconds = samplesPerFrame / sampleRate;

/** Sync, MPEG-1, layer III, no checksum; 32 kbit/s, 32 kHz; mono, original. */
const header = [0xff, 0xfb, 0x18, 0xc4] as const;
/** 2^((gain - 210) / 4) is what the line is worth: a quarter of full scale. */
const gain = 202;

/** One frame per entry: the number of the spectral line that sounds (about 28 Hz each), or null for silence. */
export function tonesMp3(lines: readonly (number | null)[]): Buffer {
  return Buffer.concat(lines.map(frame));
}

function frame(line: number | null): Buffer {
  const bits = new BitWriter();
  const data = line === null ? "" : spectrum(line);
  bits.number(0, 9); // main_data_begin: the data follows at once
  bits.number(0, 5 + 4); // private bits, scfsi
  for (let granule = 0; granule < 2; granule++) granuleInfo(bits, data, line);
  bits.text(data + data);
  const bytes = Buffer.alloc(frameBytes);
  bytes.set(header);
  bytes.set(bits.bytes(), header.length);
  return bytes;
}

function granuleInfo(bits: BitWriter, data: string, line: number | null): void {
  bits.number(data.length, 12); // part2_3_length
  bits.number(line === null ? 0 : Math.floor(line / 2) + 1, 9); // big_values, in pairs of lines
  bits.number(gain, 8);
  bits.number(0, 4 + 1); // scalefac_compress, window_switching_flag
  for (let region = 0; region < 3; region++) bits.number(1, 5); // code table 1
  bits.number(7, 4); // region0_count
  bits.number(7, 3); // region1_count
  bits.number(0, 3); // preflag, scalefac_scale, count1table_select
}

/** Code table 1: a pair of zeros is `1`, (1, 0) is `01`, (0, 1) is `001`; a sign bit follows each one. */
function spectrum(line: number): string {
  const zeros = "1".repeat(Math.floor(line / 2));
  return line % 2 === 0 ? `${zeros}010` : `${zeros}0010`;
}

class BitWriter {
  #bits = "";

  number(value: number, width: number): void {
    this.#bits += value.toString(2).padStart(width, "0");
  }

  text(bits: string): void {
    this.#bits += bits;
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#bits.match(/.{1,8}/g) ?? [], (byte) => Number.parseInt(byte.padEnd(8, "0"), 2));
  }
}
