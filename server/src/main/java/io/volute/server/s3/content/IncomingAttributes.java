package io.volute.server.s3.content;

import io.volute.server.Limits;
import io.volute.server.s3.acl.Acl;
import io.volute.server.s3.acl.AclHeaders;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Locks;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.call.SourceFacts;
import io.volute.server.s3.call.Tags;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectLock;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The attributes of a new object, read from the headers of a request. */
public record IncomingAttributes(
        SortedMap<String, String> headers,
        SortedMap<String, String> userMetadata,
        SortedMap<String, String> tags,
        ObjectLock lock) {
    static final String USER_PREFIX = "x-amz-meta-";
    static final String STANDARD = "STANDARD";

    public static IncomingAttributes of(S3Request request) {
        SortedMap<String, String> system = new TreeMap<>();
        SortedMap<String, String> user = new TreeMap<>();
        SortedMap<String, String> tags = new TreeMap<>();
        int userBytes = 0;
        for (HeaderList.Header header : request.verified().headers().headers()) {
            String name = header.name();
            switch (name) {
                case "content-type",
                        "cache-control",
                        "content-disposition",
                        "content-language",
                        "expires" ->
                        system.put(name, checked(name, header.value()));
                case "x-amz-website-redirect-location" ->
                        system.put(name, redirect(checked(name, header.value())));
                case "content-encoding" -> {
                    String stored = withoutChunking(checked(name, header.value()));
                    if (!stored.isEmpty()) {
                        system.put(name, stored);
                    }
                }
                case ObjectAttributes.STORAGE_CLASS -> storageClass(header.value(), system);
                case "x-amz-tagging" -> tags = Tags.ofHeader(header.value());
                default -> {
                    if (SourceFacts.isName(name)) {
                        system.put(name, SourceFacts.checked(name, checked(name, header.value())));
                    }
                    if (name.length() > USER_PREFIX.length() && name.startsWith(USER_PREFIX)) {
                        userBytes += name.length() - USER_PREFIX.length() + header.value().length();
                        user.put(
                                name.substring(USER_PREFIX.length()),
                                checked(name, header.value()));
                    }
                }
            }
        }
        if (userBytes > Limits.USER_METADATA_BYTES_MAX) {
            throw new S3Exception(S3Error.METADATA_TOO_LARGE)
                    .with("Size", Integer.toString(userBytes))
                    .with("MaxSizeAllowed", Integer.toString(Limits.USER_METADATA_BYTES_MAX));
        }
        acl(request).ifPresent(text -> system.put(ObjectAttributes.ACL, text));
        ObjectLock lock = Locks.ofHeaders(request.verified().headers());
        return new IncomingAttributes(system, user, tags, lock);
    }

    /**
     * Returns the stored ACL of the object.
     *
     * @throws S3Exception AccessDenied for a public one where that is blocked
     */
    private static Optional<String> acl(S3Request request) {
        if (!request.ownership().hasAcls()) {
            return Optional.empty();
        }
        BucketInfo bucket = request.bucketInfo();
        String owner = request.caller().owner();
        Acl acl =
                AclHeaders.ofObject(
                                request.verified().headers(),
                                owner,
                                bucket.owner(),
                                id -> request.access().displayName(id).isPresent())
                        .orElseGet(() -> Acl.privateOf(owner));
        acl.requireUnblocked(bucket);
        return acl.stored(bucket.owner());
    }

    /** Values come back in the head of answers; from a presigned query they may hold anything. */
    private static String checked(String name, String value) {
        for (int i = 0; i < value.length(); i++) {
            if (Answer.isControl(value.charAt(i))) {
                throw S3Exception.invalidArgument(name, value, "Control character in a header.");
            }
        }
        return value;
    }

    private static String redirect(String location) {
        if (!location.startsWith("/")
                && !location.startsWith("http://")
                && !location.startsWith("https://")) {
            throw new S3Exception(S3Error.INVALID_REDIRECT_LOCATION);
        }
        return location;
    }

    private static void storageClass(String value, SortedMap<String, String> system) {
        switch (value) {
            case STANDARD -> {}
            // Names alone: every object is stored alike and can be read at once.
            case "REDUCED_REDUNDANCY",
                    "STANDARD_IA",
                    "ONEZONE_IA",
                    "INTELLIGENT_TIERING",
                    "GLACIER",
                    "GLACIER_IR",
                    "DEEP_ARCHIVE" ->
                    system.put(ObjectAttributes.STORAGE_CLASS, value);
            default ->
                    throw new S3Exception(S3Error.INVALID_STORAGE_CLASS)
                            .with("StorageClassRequested", value);
        }
    }

    /** {@code aws-chunked} is about the transfer, not about the object. */
    private static String withoutChunking(String value) {
        if (!value.toLowerCase(Locale.ROOT).contains("aws-chunked")) {
            return value;
        }
        String separator = value.contains(", ") ? ", " : ",";
        StringBuilder kept = new StringBuilder();
        int begin = 0;
        while (begin <= value.length()) {
            int end = value.indexOf(',', begin);
            end = end < 0 ? value.length() : end;
            String coding = value.substring(begin, end).trim();
            if (!coding.isEmpty() && !coding.equalsIgnoreCase("aws-chunked")) {
                kept.append(kept.length() == 0 ? "" : separator).append(coding);
            }
            begin = end + 1;
        }
        return kept.toString();
    }

    public ObjectAttributes with(String etag, Optional<Checksum> checksum) {
        return new ObjectAttributes(etag, headers, userMetadata, tags, checksum, lock);
    }
}
