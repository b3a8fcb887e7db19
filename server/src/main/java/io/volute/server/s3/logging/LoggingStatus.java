package io.volute.server.s3.logging;

import io.volute.server.Limits;
import io.volute.server.auth.policy.Principal;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The server access logging of a bucket (S3 API Reference, "BucketLoggingStatus").
 *
 * @param target name of the bucket that takes the logs
 * @param prefix of the keys of log objects
 * @param format of these keys; empty when the client named none, which means {@link Format#SIMPLE}
 * @param hasGrants whether the document has TargetGrants
 */
public record LoggingStatus(
        String target, String prefix, Optional<Format> format, boolean hasGrants) {
    private static final String ROOT = "BucketLoggingStatus";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd-HH-mm-ss", Locale.ROOT);
    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("uuuu/MM/dd/", Locale.ROOT);

    /** Any unique text, to learn the length of keys. */
    private static final String ANY_UNIQUE = "0123456789ABCDEF";

    /** The form of the keys of log objects. */
    public enum Format {
        /** {@code prefix YYYY-MM-DD-hh-mm-ss-unique}. */
        SIMPLE(""),
        /** {@code prefix account/region/bucket/YYYY/MM/DD/...}, with the day of the requests. */
        EVENT_TIME("EventTime"),
        /** The same, with the day of the delivery. */
        DELIVERY_TIME("DeliveryTime");

        private final String source;

        Format(String source) {
            this.source = source;
        }
    }

    private static final String FORMAT = "LoggingEnabled/TargetObjectKeyFormat";
    private static final String GRANT = "LoggingEnabled/TargetGrants/Grant";
    private static final Set<String> ELEMENTS =
            Set.of(
                    "LoggingEnabled",
                    "LoggingEnabled/TargetBucket",
                    "LoggingEnabled/TargetPrefix",
                    FORMAT,
                    FORMAT + "/SimplePrefix",
                    FORMAT + "/PartitionedPrefix",
                    FORMAT + "/PartitionedPrefix/PartitionDateSource",
                    "LoggingEnabled/TargetGrants",
                    GRANT,
                    GRANT + "/Grantee",
                    GRANT + "/Grantee/ID",
                    GRANT + "/Grantee/DisplayName",
                    GRANT + "/Grantee/EmailAddress",
                    GRANT + "/Grantee/URI",
                    GRANT + "/Permission");

    /** Returns the document of a bucket without logging. */
    public static byte[] off() {
        return XmlWriter.document(ROOT).finish();
    }

    /**
     * Reads a document that a client sent; empty when it ends the logging.
     *
     * @throws S3Exception MalformedXML
     */
    public static Optional<LoggingStatus> read(byte[] document) {
        XmlElement root = XmlReader.read(document, ROOT, Limits.XML_ELEMENTS_MAX).only(ELEMENTS);
        Optional<XmlElement> enabled = root.child("LoggingEnabled");
        if (enabled.isEmpty()) {
            if (!root.children().isEmpty()) {
                throw malformed();
            }
            return Optional.empty();
        }
        XmlElement logging = enabled.get();
        String target =
                logging.childText("TargetBucket")
                        .map(String::strip)
                        .filter(name -> !name.isEmpty())
                        .orElseThrow(LoggingStatus::malformed);
        return Optional.of(
                new LoggingStatus(
                        target,
                        logging.childText("TargetPrefix").orElse(""),
                        logging.child("TargetObjectKeyFormat").map(LoggingStatus::format),
                        logging.child("TargetGrants").isPresent()));
    }

    private static Format format(XmlElement element) {
        Optional<XmlElement> partitioned = element.child("PartitionedPrefix");
        if (element.children().size() != 1
                || partitioned.isEmpty() && element.child("SimplePrefix").isEmpty()) {
            throw malformed();
        }
        if (partitioned.isEmpty()) {
            return Format.SIMPLE;
        }
        String source =
                partitioned
                        .get()
                        .childText("PartitionDateSource")
                        .orElse(Format.DELIVERY_TIME.source)
                        .strip();
        return switch (source) {
            case "EventTime" -> Format.EVENT_TIME;
            case "DeliveryTime" -> Format.DELIVERY_TIME;
            default -> throw malformed();
        };
    }

    private static S3Exception malformed() {
        return new S3Exception(S3Error.MALFORMED_XML);
    }

    /** Returns the document as it is stored and answered. */
    public byte[] document() {
        XmlWriter xml =
                XmlWriter.document(ROOT)
                        .begin("LoggingEnabled")
                        .element("TargetBucket", target)
                        .element("TargetPrefix", prefix);
        if (format.isPresent()) {
            xml.begin("TargetObjectKeyFormat");
            if (format.get() == Format.SIMPLE) {
                xml.begin("SimplePrefix").end();
            } else {
                xml.begin("PartitionedPrefix")
                        .element("PartitionDateSource", format.get().source)
                        .end();
            }
            xml.end();
        }
        return xml.end().finish();
    }

    /**
     * Refuses a target that does not take the logs of the source.
     *
     * @throws S3Exception InvalidTargetBucketForLogging; AccessControlListNotSupported or
     *     NotImplemented for grants; InvalidArgument for a prefix that is too long
     */
    public void requireTarget(BucketInfo source, ObjectReader store, String region) {
        Optional<BucketInfo> bucket =
                BucketName.isValid(target)
                        ? store.bucket(new BucketName(target))
                        : Optional.empty();
        if (bucket.isEmpty() || !bucket.get().owner().equals(source.owner())) {
            // The same answer for both: nobody learns of the buckets of others.
            throw new S3Exception(S3Error.INVALID_TARGET_BUCKET_FOR_LOGGING)
                    .with("TargetBucket", target);
        }
        if (hasGrants) {
            throw LogTarget.refusalOfGrants(bucket.get());
        }
        ObjectKey key;
        try {
            key = key(source, region, LocalDate.EPOCH, Instant.EPOCH, ANY_UNIQUE);
        } catch (IllegalArgumentException e) {
            throw S3Exception.invalidArgument(
                    "TargetPrefix", prefix, "The prefix leaves no room for the names of logs.");
        }
        Optional<String> refusal = LogTarget.refusal(source, bucket.get(), key);
        if (refusal.isPresent()) {
            throw new S3Exception(S3Error.INVALID_TARGET_BUCKET_FOR_LOGGING, refusal.get())
                    .with("TargetBucket", target);
        }
    }

    /**
     * Returns the key of a log object (S3 User Guide, "Log object key format").
     *
     * @param day of the requests in it, in UTC
     * @param delivery the time of the delivery
     * @throws IllegalArgumentException when it is longer than a key can be
     */
    public ObjectKey key(
            BucketInfo source, String region, LocalDate day, Instant delivery, String unique) {
        LocalDateTime delivered = LocalDateTime.ofInstant(delivery, ZoneOffset.UTC);
        Format as = format.orElse(Format.SIMPLE);
        // S3 sets the time of day to zero when the key has the day of the requests.
        LocalDateTime time = as == Format.EVENT_TIME ? day.atStartOfDay() : delivered;
        String partition =
                as == Format.SIMPLE
                        ? ""
                        : String.join(
                                "/",
                                Principal.ACCOUNT,
                                region,
                                source.name().value(),
                                DAY.format(time));
        return new ObjectKey(prefix + partition + TIME.format(time) + "-" + unique);
    }
}
