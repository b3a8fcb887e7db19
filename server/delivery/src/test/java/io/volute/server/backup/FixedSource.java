package io.volute.server.backup;

import io.volute.server.backup.Manifest.CutOfCube;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** A source of a few small files that are the same each time. */
final class FixedSource implements BackupSource {
    static final String STORE = "00112233-4455-6677-8899-aabbccddeeff";

    private static SourceFile file(
            String path, Marking marking, String text, long finalBytes, long fileBytes) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new SourceFile(path, bytes.length, finalBytes, fileBytes, marking, new Text(bytes));
    }

    private record Text(byte[] bytes) implements Content {
        @Override
        public void read(long offset, ByteBuffer target) {
            target.put(bytes, (int) offset, target.remaining());
        }

        @Override
        public void release() {
            // Nothing is held.
        }
    }

    @Override
    public String store() {
        return STORE;
    }

    @Override
    public List<SourceFile> files() {
        String segments = "cubes/default/segments/0000000000000000000";
        return List.of(
                file(segments + "1.head", Marking.BOTH_ENDS, "batch ".repeat(900), 5400, 8192),
                file(segments + "2.stream", Marking.BEGIN, "chunk ".repeat(700), 4096, 4200),
                file("volute.mark", Marking.BEGIN, "what volute-store\n", 0, 18));
    }

    @Override
    public List<CutOfCube> cubes() {
        return List.of(new CutOfCube("default", 4711));
    }

    @Override
    public Optional<String> checkpoint() {
        return Optional.of("Y2hlY2twb2ludA==");
    }

    @Override
    public List<String> leftOut() {
        return List.of("keys/provenance.key");
    }

    @Override
    public void requireRoom() {
        // Nothing is held.
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
