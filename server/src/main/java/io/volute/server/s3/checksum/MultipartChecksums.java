package io.volute.server.s3.checksum;

import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectAttributes.Type;
import io.volute.versioning.value.ObjectVersion;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** ETag and checksum of an object from those of its parts. */
public final class MultipartChecksums {
    private MultipartChecksums() {}

    /** Hex MD5 of the parts' MD5s, a hyphen, and the number of parts. */
    public static String etag(List<PartInfo> parts) {
        RunningChecksum md5 = RunningChecksum.of(Algorithm.MD5);
        for (PartInfo part : parts) {
            byte[] raw = HexFormat.of().parseHex(part.etag());
            md5.update(raw, raw.length);
        }
        return HexFormat.of().formatHex(md5.finish()) + "-" + parts.size();
    }

    /** The object's checksum; empty when a part lacks one of this algorithm. */
    public static Optional<Checksum> checksum(
            Algorithm algorithm, Type type, List<PartInfo> parts) {
        for (PartInfo part : parts) {
            if (part.checksum().isEmpty() || part.checksum().get().algorithm() != algorithm) {
                return Optional.empty();
            }
        }
        return Optional.of(
                new Checksum(
                        algorithm,
                        type,
                        switch (type) {
                            case COMPOSITE -> composite(algorithm, parts);
                            case FULL_OBJECT -> combined(algorithm, parts);
                        }));
    }

    /** Returns whether the checksum of a version is one over the checksums of its parts. */
    public static boolean isComposite(ObjectVersion version) {
        return version.attributes()
                .checksum()
                .filter(checksum -> checksum.type() == Type.COMPOSITE)
                .isPresent();
    }

    /** Returns a checksum without the number of parts that a composite one ends with. */
    public static Checksum withoutCount(Checksum checksum) {
        int hyphen = checksum.value().lastIndexOf('-');
        return checksum.type() == Type.COMPOSITE && hyphen > 0
                ? new Checksum(
                        checksum.algorithm(),
                        checksum.type(),
                        checksum.value().substring(0, hyphen))
                : checksum;
    }

    private static String composite(Algorithm algorithm, List<PartInfo> parts) {
        RunningChecksum all = RunningChecksum.of(algorithm);
        for (PartInfo part : parts) {
            byte[] raw = raw(part);
            all.update(raw, raw.length);
        }
        return Base64.getEncoder().encodeToString(all.finish()) + "-" + parts.size();
    }

    private static String combined(Algorithm algorithm, List<PartInfo> parts) {
        CrcCombination combination = CrcCombination.of(algorithm);
        long value = 0;
        for (PartInfo part : parts) {
            value = combination.combine(value, number(raw(part)), part.bytes());
        }
        byte[] result = new byte[algorithm.bytes()];
        for (int i = result.length - 1; i >= 0; i--) {
            result[i] = (byte) value;
            value >>>= 8;
        }
        return Base64.getEncoder().encodeToString(result);
    }

    private static byte[] raw(PartInfo part) {
        return Base64.getDecoder().decode(part.checksum().orElseThrow().value());
    }

    private static long number(byte[] raw) {
        long value = 0;
        for (byte b : raw) {
            value = value << 8 | b & 0xFF;
        }
        return value;
    }
}
