package io.volute.server.s3.request;

import io.volute.server.s3.error.S3Exception;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Request headers in the order of arrival. Names are lower case; values are as sent, trimmed. */
public record HeaderList(List<Header> headers) {
    /** Headers that are lists: SDKs send a line for each element. */
    private static final Set<String> LISTS =
            Set.of("x-amz-object-attributes", "x-amz-optional-object-attributes");

    public HeaderList {
        headers = List.copyOf(headers);
    }

    /** One header field. */
    public record Header(String name, String value) {
        private static final String CHECKSUM = "x-amz-checksum-";

        /** With that prefix, but no checksums. */
        private static final Set<String> ABOUT_CHECKSUMS =
                Set.of("x-amz-checksum-algorithm", "x-amz-checksum-mode", "x-amz-checksum-type");

        public Header {
            name = name.toLowerCase(Locale.ROOT);
        }

        /** Whether it tells a checksum, of whatever algorithm. */
        public boolean isChecksum() {
            return name.startsWith(CHECKSUM) && !ABOUT_CHECKSUMS.contains(name);
        }
    }

    /** Whether a header (name in lower case) says something to S3, or to this server. */
    public static boolean isOfProtocol(String name) {
        return name.startsWith("x-amz-") || name.startsWith("x-volute-");
    }

    /**
     * Refuses a header of the protocol that is there twice: readers of it would differ on what it
     * says.
     *
     * @throws S3Exception InvalidArgument
     */
    public void refuseRepeated() {
        for (int i = 1; i < headers.size(); i++) {
            String name = headers.get(i).name();
            for (int j = 0; j < i && isOfProtocol(name) && !LISTS.contains(name); j++) {
                if (headers.get(j).name().equals(name)) {
                    throw S3Exception.invalidArgument(
                            name, headers.get(i).value(), "This header may be given only once.");
                }
            }
        }
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

    /** All values of a header, in order. */
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
