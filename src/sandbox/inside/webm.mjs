// Writes pictures as a WebM video; the build bundles this file with its package, because the sandbox sees single files.
import { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Output, WebMOutputFormat } from 'mediabunny';

/** Returns the file. @param frames key frames of VP8 with their times in ms, at least one */
export async function webm(frames) {
  const output = new Output({ format: new WebMOutputFormat(), target: new BufferTarget() });
  const source = new EncodedVideoPacketSource('vp8');
  output.addVideoTrack(source);
  await output.start();
  const [{ frame: first }] = frames;
  // A key frame states its size after its tag and start code: 14 bits each.
  const [codedWidth, codedHeight] = [first.readUInt16LE(6) & 0x3fff, first.readUInt16LE(8) & 0x3fff];
  const meta = { decoderConfig: { codec: 'vp8', codedWidth, codedHeight } };
  for (const { atMs, frame } of frames) await source.add(new EncodedPacket(frame, 'key', atMs / 1000, 0), meta);
  await output.finalize();
  return Buffer.from(output.target.buffer);
}
