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
 * A connection on which signed requests are sent and answers are kept whole: fill {@link #path} and
 * {@link #query} anew, {@link #send}, look at the {@link #content}. Used by one thread at a time.
 */
public final class SignedConnection implements AutoCloseable {
    private static final int CONTENT_BYTES_MAX = 16 << 20;

    private final HttpConnection connection;
    private final RequestSigner signer;
    private final SignedHead head;
    private final MessageDigest sha256;
    private ByteBuffer content = ByteBuffer.allocate(16 << 10);

    /** Connects when it is first used. */
    public SignedConnection(InetSocketAddress address, Account account) {
        this.connection = new HttpConnection(address);
        String host = address.getAddress().getHostAddress() + ":" + address.getPort();
        this.signer = new RequestSigner(account, host);
        this.head = new SignedHead(signer);
        try {
            this.sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** From here on requests say that they are this actor's, of Volute; empty: nobody's. */
    public void actor(String name) {
        signer.actor(name);
    }

    /** The path of the next request, percent-encoded. */
    public AsciiBuffer path() {
        return head.path();
    }

    /** The query of the next request, canonical; empty for none. */
    public AsciiBuffer query() {
        return head.query();
    }

    /**
     * Sends a request whose body is signed, and reads its whole answer.
     *
     * @param body from its position to its limit; consumed
     * @return the status
     */
    public int send(String method, ByteBuffer body) throws IOException {
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

    /** The same, to keep. */
    public byte[] contentBytes() {
        byte[] bytes = new byte[content.remaining()];
        content().get(bytes);
        return bytes;
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
