/** What mocks may give for answers that are not plain data: bytes as base64, a stream as the list of its parts. */

interface MockedPiece {
  index?: number;
  content?: string;
  finishReason?: string;
}

export function mockedPieces({ requestId, pieces = [] }: { requestId?: string; pieces?: MockedPiece[] }) {
  return {
    requestId,
    async *[Symbol.asyncIterator]() {
      for (const { index = 0, content = "", finishReason } of pieces) yield { index, content, finishReason };
    },
  };
}

interface MockedImage {
  image?: string;
  randomSeed?: number;
}

export function mockedImages({ requestId, images = [] }: { requestId?: string; images?: MockedImage[] }) {
  return {
    images: images.map(({ image = "", randomSeed }) => ({ image: Buffer.from(image, "base64"), randomSeed })),
    requestId,
  };
}

interface MockedAudio {
  requestId?: string;
  audio?: string;
  sampleRate?: number;
}

export function mockedAudio({ audio = "", sampleRate, requestId }: MockedAudio) {
  return { audio: Buffer.from(audio, "base64"), sampleRate, requestId };
}
