package io.volute.server;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;

/** Addresses to which the server opens no connection, whatever a setting names. */
public final class OutgoingAddresses {
    private static final byte[] NAT64 = {0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};

    private OutgoingAddresses() {}

    /**
     * Returns whether an address is of no other machine, or link-local: clouds have the services of
     * their hosts there.
     */
    public static boolean isForbidden(InetAddress address) throws IOException {
        byte[] bytes = address.getAddress();
        if (address instanceof Inet6Address six
                && (six.isIPv4CompatibleAddress() && !six.isLoopbackAddress()
                        || Arrays.equals(bytes, 0, NAT64.length, NAT64, 0, NAT64.length))) {
            byte[] four = Arrays.copyOfRange(bytes, NAT64.length, bytes.length);
            return isForbidden(InetAddress.getByAddress(four));
        }
        return address.isLinkLocalAddress()
                || address.isAnyLocalAddress()
                || address.isMulticastAddress();
    }
}
