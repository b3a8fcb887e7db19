package io.volute.testkit.model;

import io.volute.storage.BlobReader;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.value.ObjectAttributes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Bodies and attributes made from a size and a seed. */
final class Contents {
    private Contents() {}

    static byte[] bytes(int size, int seed) {
        byte[] bytes = new byte[size];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    /** Returns a tag in the form of an MD5. Equal contents have equal tags. */
    static String etag(int size, int seed) {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits((long) size) + hex.toHexDigits((long) seed);
    }

    static ObjectAttributes attributes(int size, int seed) {
        return new ObjectAttributes(
                etag(size, seed),
                sorted(Map.of("content-type", "text/x-" + seed)),
                seed % 2 == 0 ? sorted(Map.of("seed", "é" + seed)) : new TreeMap<>(),
                seed % 3 == 0 ? sorted(Map.of("tag", "" + seed)) : new TreeMap<>(),
                Optional.empty());
    }

    static ObjectAttributes uploadAttributes(int seed) {
        return new ObjectAttributes(
                "",
                sorted(Map.of("content-type", "text/x-" + seed)),
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty());
    }

    static ObjectAttributes completed(UploadInfo upload, List<PartInfo> chosen) {
        ObjectAttributes wanted = upload.attributes();
        String etag = chosen.getFirst().etag() + "-" + chosen.size();
        return new ObjectAttributes(
                etag, wanted.headers(), wanted.userMetadata(), wanted.tags(), Optional.empty());
    }

    private static TreeMap<String, String> sorted(Map<String, String> map) {
        return new TreeMap<>(map);
    }

    static byte[] read(BlobReader reader) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        long offset = 0;
        while (offset < reader.bytes()) {
            ByteBuffer target = ByteBuffer.allocateDirect(reader.bufferBytes(offset));
            reader.read(offset, reader.bytes(), target);
            if (!target.hasRemaining()) {
                throw new IOException("a read at " + offset + " delivered nothing");
            }
            byte[] bytes = new byte[target.remaining()];
            target.get(bytes);
            content.writeBytes(bytes);
            offset += bytes.length;
        }
        return content.toByteArray();
    }
}
