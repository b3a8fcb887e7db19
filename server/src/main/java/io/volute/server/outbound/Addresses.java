package io.volute.server.outbound;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.Set;

/**
 * The addresses that a connection may go to. A host is resolved once, and the connection goes to an
 * address that was checked. So a name whose answer changes cannot lead elsewhere. Immutable.
 *
 * @param isLoopbackAllowed whether the host may be this machine
 * @param plain where {@code http} is allowed
 */
public record Addresses(Resolver resolver, boolean isLoopbackAllowed, Plain plain) {
    /** All but those that are never allowed: for hosts that the operator alone names. */
    public static final Addresses OF_OPERATOR =
            new Addresses(Resolver.OF_SYSTEM, true, Plain.EVERYWHERE);

    /**
     * Services of clouds for their machines that are not link-local: AWS, Google, Alibaba, Azure.
     */
    private static final Set<String> OF_CLOUDS =
            Set.of(
                    "fd00:ec2:0:0:0:0:0:254",
                    "fd20:ce:0:0:0:0:0:254",
                    "100.100.100.200",
                    "168.63.129.16");

    private static final byte[] NAT64 = {0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};

    /** The addresses that connections without TLS may go to. */
    public enum Plain {
        NEVER,
        ON_LOOPBACK,
        EVERYWHERE
    }

    /** Finds the addresses of a host. */
    @FunctionalInterface
    public interface Resolver {
        Resolver OF_SYSTEM = InetAddress::getAllByName;

        InetAddress[] resolve(String host) throws IOException;
    }

    /**
     * Resolves a host and checks all its addresses.
     *
     * @throws IOException when one of them is not allowed; the message names it
     */
    public InetAddress[] of(URI uri) throws IOException {
        boolean isPlain = "http".equals(uri.getScheme());
        if (!isPlain && !"https".equals(uri.getScheme())) {
            throw new IOException(uri + " is not https");
        }
        InetAddress[] all = ofHost(uri.getHost(), uri.toString());
        for (InetAddress each : all) {
            if (isPlain && !isPlainAllowed(each)) {
                throw new IOException(uri + " is not https");
            }
        }
        return all;
    }

    /**
     * Resolves a host and checks all its addresses, whatever protocol they are for.
     *
     * @param host a name, or an address that may have brackets
     * @param named the host, for messages
     * @throws IOException when one of them is not allowed; the message names it
     */
    public InetAddress[] ofHost(String host, String named) throws IOException {
        InetAddress[] all = resolver.resolve(host.replaceAll("[\\[\\]]", ""));
        for (InetAddress each : all) {
            if (isForbidden(each) || each.isLoopbackAddress() && !isLoopbackAllowed) {
                throw new IOException(
                        named
                                + " has the address "
                                + each.getHostAddress()
                                + ", which is not allowed");
            }
        }
        return all;
    }

    /**
     * Returns whether an address is of no other machine, or of a service that a cloud has for its
     * machines: most are link-local. IPv6 addresses that stand for others count as these.
     */
    private static boolean isForbidden(InetAddress address) throws IOException {
        byte[] bytes = address.getAddress();
        if (bytes.length == 16 && bytes[0] == 0x20 && bytes[1] == 0x02) {
            // 6to4 (RFC 3056).
            return isForbidden(InetAddress.getByAddress(Arrays.copyOfRange(bytes, 2, 6)));
        }
        if (address instanceof Inet6Address six
                && (six.isIPv4CompatibleAddress() && !six.isLoopbackAddress()
                        || Arrays.equals(bytes, 0, NAT64.length, NAT64, 0, NAT64.length))) {
            byte[] four = Arrays.copyOfRange(bytes, NAT64.length, bytes.length);
            return isForbidden(InetAddress.getByAddress(four));
        }
        return OF_CLOUDS.contains(address.getHostAddress())
                || address.isLinkLocalAddress()
                || address.isAnyLocalAddress()
                || address.isMulticastAddress();
    }

    private boolean isPlainAllowed(InetAddress address) {
        return switch (plain) {
            case NEVER -> false;
            case ON_LOOPBACK -> address.isLoopbackAddress();
            case EVERYWHERE -> true;
        };
    }
}
