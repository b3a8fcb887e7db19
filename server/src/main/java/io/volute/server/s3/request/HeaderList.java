package io.volute.server.s3.request;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Request headers in the order of arrival. Names are lower case; values are as sent, trimmed. */
public record HeaderList(List<Header> headers) {
    public HeaderList {
        headers = List.copyOf(headers);
    }

    /** One header field. */
    public record Header(String name, String value) {
        public Header {
            name = name.toLowerCase(Locale.ROOT);
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
