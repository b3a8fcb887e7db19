package io.volute.server.http;

import io.volute.server.auth.policy.Address;
import io.volute.server.auth.policy.AddressRange;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The trusted reverse proxies, and their means of passing on the address of a client. Addresses
 * from other peers are ignored.
 *
 * @param trusted addresses of the proxies; when empty, none is trusted
 */
public record Proxies(List<AddressRange> trusted, Means means) {
    /** The means by which proxies pass on the address of a client. */
    public enum Means {
        /** The header {@code X-Forwarded-For} of each request. */
        X_FORWARDED_FOR,
        /** A header of the PROXY protocol, version 1 or 2, before the first byte. */
        PROXY_PROTOCOL
    }

    static final String FORWARDED = "x-forwarded-for";

    /** The absence of proxies: the address of a connection is that of the client. */
    public static final Proxies NONE = new Proxies(List.of(), Means.X_FORWARDED_FOR);

    public Proxies {
        trusted = List.copyOf(trusted);
    }

    boolean isTrusted(String address) {
        return trusted.stream().anyMatch(range -> range.contains(address));
    }

    /** Returns whether requests of this peer name their client in a header. */
    boolean forwards(String peer) {
        return means == Means.X_FORWARDED_FOR && isTrusted(peer);
    }

    /** Returns whether connections of this peer begin with a header of the PROXY protocol. */
    boolean sendsHeader(String peer) {
        return means == Means.PROXY_PROTOCOL && isTrusted(peer);
    }

    /**
     * Returns the address of the client behind a trusted proxy: the rightmost one that is not a
     * trusted proxy's. Each proxy appends the peer that it sees, so what stands to the left of that
     * was sent by the client and proves nothing.
     *
     * @param proxy the peer of the connection
     * @param forwarded the lines of the header, in their order
     */
    String client(String proxy, List<String> forwarded) {
        List<String> hops =
                forwarded.stream()
                        .flatMap(line -> Arrays.stream(line.split(",", -1)))
                        .toList()
                        .reversed();
        String client = proxy;
        for (String hop : hops) {
            Optional<String> address = Address.normalized(withoutPort(hop.strip()));
            if (address.isEmpty()) {
                // The nearest one that is known.
                return client;
            }
            client = address.get();
            if (!isTrusted(client)) {
                return client;
            }
        }
        return client;
    }

    /** Some proxies write {@code 192.0.2.7:1234} and {@code [2001:db8::7]:1234}. */
    private static String withoutPort(String hop) {
        if (hop.startsWith("[")) {
            int end = hop.indexOf(']');
            return end < 0 ? hop : hop.substring(1, end);
        }
        int colon = hop.indexOf(':');
        return colon >= 0 && colon == hop.lastIndexOf(':') ? hop.substring(0, colon) : hop;
    }
}
