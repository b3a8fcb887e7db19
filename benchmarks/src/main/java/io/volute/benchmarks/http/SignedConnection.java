package io.volute.benchmarks.http;

import io.volute.benchmarks.http.RequestSigner.Account;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A connection on which signed requests are sent and answers are kept whole. Used by one thread at
 * a time.
 */
public final class SignedConnection implements AutoCloseable {
    private static final int CONTENT_BYTES_MAX = 16 << 20;

    private final HttpConnection connection;
    private final SignedHead head;
    private final MessageDigest sha256;
    private ByteBuffer content = ByteBuffer.allocate(16 << 10);

    /** Connects when it is first used. */
    public SignedConnection(InetSocketAddress address, Account account) {
        this.connection = new HttpConnection(address);
        String host = address.getAddress().getHostAddress() + ":" + address.getPort();
        this.head = new SignedHead(new RequestSigner(account, host));
        try {
            this.sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /**
     * Sends a request whose body is signed, and reads its whole answer.
     *
     * @param path percent-encoded
     * @param query canonical; empty for none
     * @param body from its position to its limit; consumed
     * @return the status
     */
    public int send(String method, String path, String query, ByteBuffer body) throws IOException {
        head.path().clear().put(path);
        head.query().clear().put(query);
        content.clear();
        sha256.update(body.duplicate());
        byte[] hash = HexFormat.of().formatHex(sha256.digest()).getBytes(StandardCharsets.US_ASCII);
        AsciiBuffer text = head.compose(method, hash, body.remaining(), "");
        int status = connection.exchange(text, body, method.equals("HEAD"), this::keep).status();
        content.flip();
        return status;
    }

    /** The content of the last answer; valid until the next request. */
    public ByteBuffer content() {
        return content.duplicate();
    }

    /** The content of the last answer, which is text. */
    public String contentText() {
        return StandardCharsets.UTF_8.decode(content()).toString();
    }

    private void keep(ByteBuffer piece) throws IOException {
        int needed = content.position() + piece.remaining();
        if (needed > CONTENT_BYTES_MAX) {
            throw new ProtocolException("an answer of more than " + CONTENT_BYTES_MAX + " bytes");
        }
        if (needed > content.capacity()) {
            int room = Math.min(CONTENT_BYTES_MAX, Math.max(needed, 2 * content.capacity()));
            content = ByteBuffer.allocate(room).put(content.flip());
        }
        content.put(piece);
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
