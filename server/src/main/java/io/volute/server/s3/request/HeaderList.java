package io.volute.server.s3.request;

import io.volute.server.s3.error.S3Exception;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Request headers in the order of arrival. Names are lower case; values are as sent, trimmed. */
public record HeaderList(List<Header> headers) {
    /** Headers of the protocol that are lists: SDKs send a line for each element. */
    private static final Set<String> LISTS =
            Set.of(
                    "x-amz-object-attributes",
                    "x-amz-optional-object-attributes",
                    "x-amz-copy-source-if-match",
                    "x-amz-copy-source-if-none-match");

    /** Metadata of users: S3 joins the lines of one name. */
    private static final String METADATA = "x-amz-meta-";

    /** Headers of HTTP with one value, which decides what a request means. */
    private static final Set<String> SINGLE =
            Set.of(
                    "content-disposition",
                    "content-md5",
                    "content-type",
                    "date",
                    "expires",
                    "if-modified-since",
                    "if-range",
                    "if-unmodified-since",
                    "range");

    public HeaderList {
        headers = List.copyOf(headers);
    }

    /** One header field. */
    public record Header(String name, String value) {
        private static final String CHECKSUM = "x-amz-checksum-";

        /** Headers with that prefix that are no checksums. */
        private static final Set<String> ABOUT_CHECKSUMS =
                Set.of("x-amz-checksum-algorithm", "x-amz-checksum-mode", "x-amz-checksum-type");

        public Header {
            name = name.toLowerCase(Locale.ROOT);
        }

        /** Returns whether the header is a checksum, of any algorithm. */
        public boolean isChecksum() {
            return name.startsWith(CHECKSUM) && !ABOUT_CHECKSUMS.contains(name);
        }
    }

    /** Returns whether S3 or this server defines the header, whose name is in lower case. */
    public static boolean isOfProtocol(String name) {
        return name.startsWith("x-amz-") || name.startsWith("x-volute-");
    }

    /**
     * Refuses a header that occurs twice and is no list, because readers could differ in the value
     * they take.
     *
     * @throws S3Exception InvalidArgument
     */
    public void refuseRepeated() {
        for (int i = 1; i < headers.size(); i++) {
            String name = headers.get(i).name();
            for (int j = 0; j < i && isSingle(name); j++) {
                if (headers.get(j).name().equals(name)) {
                    throw S3Exception.invalidArgument(
                            name, headers.get(i).value(), "This header may be given only once.");
                }
            }
        }
    }

    private static boolean isSingle(String name) {
        return SINGLE.contains(name)
                || isOfProtocol(name) && !LISTS.contains(name) && !name.startsWith(METADATA);
    }

    /**
     * Returns the headers with one line for each name: the values of several lines are one list, in
     * the order in which they arrived (RFC 9110, 5.2), as the signature counts them.
     */
    public HeaderList combined() {
        Map<String, String> lines = new LinkedHashMap<>();
        for (Header header : headers) {
            lines.merge(header.name(), header.value(), (one, more) -> one + "," + more);
        }
        if (lines.size() == headers.size()) {
            return this;
        }
        List<Header> all = new ArrayList<>(lines.size());
        lines.forEach((name, value) -> all.add(new Header(name, value)));
        return new HeaderList(all);
    }

    /** The first value of a header (name in lower case). */
    public Optional<String> first(String name) {
        for (Header header : headers) {
            if (header.name().equals(name)) {
                return Optional.of(header.value());
            }
        }
        return Optional.empty();
    }

    /** Returns all values of a header, in order. */
    public List<String> all(String name) {
        List<String> values = new ArrayList<>();
        for (Header header : headers) {
            if (header.name().equals(name)) {
                values.add(header.value());
            }
        }
        return values;
    }
}
