package io.volute.benchmarks.http;

import io.volute.benchmarks.Ticks;

/**
 * The request line and headers of signed requests, made one after another in the same memory. Fill
 * {@link #path} and {@link #query} anew, then {@link #compose}. Used by one thread.
 */
public final class SignedHead {
    private final RequestSigner signer;
    private final AsciiBuffer head = new AsciiBuffer();
    private final AsciiBuffer path = new AsciiBuffer();
    private final AsciiBuffer query = new AsciiBuffer();

    /**
     * @param signer for this use alone
     */
    public SignedHead(RequestSigner signer) {
        this.signer = signer;
    }

    /** The path, percent-encoded as sent. */
    public AsciiBuffer path() {
        return path;
    }

    /** The query, canonical: sorted, encoded, every parameter with a {@code =}; empty for none. */
    public AsciiBuffer query() {
        return query;
    }

    /** Returns the head that was composed last. */
    public AsciiBuffer text() {
        return head;
    }

    /**
     * Makes the head of a request of this moment.
     *
     * @param payloadHash hex SHA-256 of the body, or {@code UNSIGNED-PAYLOAD}
     * @param more header lines with their line ends that are not signed, or nothing
     */
    public AsciiBuffer compose(String method, byte[] payloadHash, int bodyBytes, String more) {
        head.clear().put(method).put(" ").put(path);
        if (query.length() > 0) {
            head.put("?").put(query);
        }
        head.put(" HTTP/1.1\r\n");
        signer.sign(head, method, path, query, payloadHash, Ticks.wallClock());
        if (bodyBytes > 0 || method.equals("PUT")) {
            head.put("Content-Length: ").putNumber(bodyBytes, 1).put("\r\n");
        }
        return head.put(more).put("\r\n");
    }
}
