package io.volute.server.s3.content;

import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectAttributes.Type;
import java.util.Locale;
import java.util.Optional;

/** Which checksum an upload carries. */
public final class ChecksumTypes {
    private ChecksumTypes() {}

    /** The value of {@code x-amz-checksum-type}, in any case. */
    public static Type parse(String text) {
        return switch (text.toUpperCase(Locale.ROOT)) {
            case "FULL_OBJECT" -> Type.FULL_OBJECT;
            case "COMPOSITE" -> Type.COMPOSITE;
            default ->
                    throw new S3Exception(
                            S3Error.INVALID_REQUEST,
                            "Value for x-amz-checksum-type header is invalid.");
        };
    }

    /** Returns the checksum algorithm of an upload's parts: the client's choice, else CRC64NVME. */
    public static Algorithm algorithm(UploadInfo upload) {
        return upload.attributes().checksum().map(Checksum::algorithm).orElse(Algorithm.CRC64NVME);
    }

    public static Type type(UploadInfo upload) {
        return upload.attributes().checksum().map(Checksum::type).orElse(Type.FULL_OBJECT);
    }

    /** Writes the elements of an upload whose client chose a checksum. */
    public static void describe(XmlWriter xml, UploadInfo upload) {
        if (isChosen(upload)) {
            xml.element("ChecksumAlgorithm", algorithm(upload).name());
            xml.element("ChecksumType", type(upload).name());
        }
    }

    /** Returns whether the client chose a checksum. Only then answers show those of parts. */
    public static boolean isChosen(UploadInfo upload) {
        return upload.attributes().checksum().isPresent();
    }

    /** Refuses a part or object checksum of another algorithm than the upload was made with. */
    public static void requireSame(UploadInfo upload, Optional<Algorithm> sent) {
        if (sent.isPresent()
                && upload.attributes().checksum().isPresent()
                && sent.get() != algorithm(upload)) {
            throw mismatch(upload, sent.get().name());
        }
    }

    /**
     * Refuses a part whose checksum does not fit its upload. As in S3, a composite checksum needs
     * that of each part, and one of the whole needs none.
     */
    public static void requireFitting(UploadInfo upload, Optional<Algorithm> sent) {
        requireSame(upload, sent);
        if (type(upload) == Type.COMPOSITE && sent.isEmpty()) {
            throw mismatch(upload, "null");
        }
    }

    private static S3Exception mismatch(UploadInfo upload, String sent) {
        return new S3Exception(
                S3Error.INVALID_REQUEST,
                "Checksum Type mismatch occurred, expected checksum Type: "
                        + algorithm(upload).name().toLowerCase(Locale.ROOT)
                        + ", actual checksum Type: "
                        + sent.toLowerCase(Locale.ROOT));
    }
}
