package io.volute.server.s3.request;

import io.volute.server.s3.request.PercentCoding.Plus;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The bucket and key of a request, decoded once. Empty strings mean "none": without a bucket it is
 * the service, without a key the bucket.
 */
public record Target(String bucket, String key) {

    /** The level on which an operation works. */
    public enum Level {
        SERVICE,
        BUCKET,
        OBJECT
    }

    public Level level() {
        if (bucket.isEmpty()) {
            return Level.SERVICE;
        }
        return key.isEmpty() ? Level.BUCKET : Level.OBJECT;
    }

    /** Returns whether it names no bucket although its path is not that of the service. */
    public boolean isWithoutBucket(HttpHead head) {
        return bucket.isEmpty() && head.rawPath().length() > 1;
    }

    /**
     * Reads path style, or virtual-host style when the host lies in one of the domains. A head is
     * read once: its memo keeps the target.
     *
     * @param domains lower case, without leading dot
     * @throws io.volute.server.s3.error.S3Exception InvalidURI when the path cannot be decoded
     */
    public static Target of(HttpHead head, List<String> domains) {
        return head.parsed(Target.class, domains, () -> parse(head, domains));
    }

    private static Target parse(HttpHead head, List<String> domains) {
        String path = head.rawPath().isEmpty() ? "" : head.rawPath().substring(1);
        Optional<String> hostBucket = bucketOfHost(head, domains);
        if (hostBucket.isPresent()) {
            return new Target(hostBucket.get(), PercentCoding.decode(path, Plus.LITERAL));
        }
        int slash = path.indexOf('/');
        if (slash < 0) {
            return new Target(PercentCoding.decode(path, Plus.LITERAL), "");
        }
        return new Target(
                PercentCoding.decode(path.substring(0, slash), Plus.LITERAL),
                PercentCoding.decode(path.substring(slash + 1), Plus.LITERAL));
    }

    /** Returns the bucket of a host name in one of the domains. */
    public static Optional<String> bucketOfHost(HttpHead head, List<String> domains) {
        if (domains.isEmpty()) {
            return Optional.empty();
        }
        String host = head.headers().first("host").orElse("").toLowerCase(Locale.ROOT);
        int colon = host.lastIndexOf(':');
        if (colon >= 0 && host.indexOf(']', colon) < 0) {
            host = host.substring(0, colon);
        }
        for (String domain : domains) {
            int end = host.length() - domain.length() - 1;
            if (end > 0 && host.charAt(end) == '.' && host.endsWith(domain)) {
                return Optional.of(host.substring(0, end));
            }
        }
        return Optional.empty();
    }
}
