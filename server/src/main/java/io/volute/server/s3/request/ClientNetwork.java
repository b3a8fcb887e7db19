package io.volute.server.s3.request;

/**
 * The network that a client comes from, for limits that hold for one client. It is the address
 * itself, or the first 64 bits of an address of version 6: the holder of one address there has all
 * of them (RFC 6177).
 */
public final class ClientNetwork {
    /** Groups of 16 bits that name a network. */
    private static final int GROUPS = 4;

    private ClientNetwork() {}

    /**
     * Returns the network of an address.
     *
     * @param address as {@link java.net.InetAddress#getHostAddress} writes it, without {@code ::}
     */
    public static String of(String address) {
        int end = end(address);
        return end == address.length() ? address : address.substring(0, end);
    }

    /** Returns a hash of {@link #of}, without making a text of it. */
    public static int hash(String address) {
        int end = end(address);
        int hash = 0;
        for (int i = 0; i < end; i++) {
            hash = 31 * hash + address.charAt(i);
        }
        return hash;
    }

    private static int end(String address) {
        int end = -1;
        for (int i = 0; i < GROUPS; i++) {
            end = address.indexOf(':', end + 1);
            if (end < 0) {
                return address.length();
            }
        }
        return end;
    }
}
