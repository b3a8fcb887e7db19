package io.volute.server.cluster.hop;

import io.volute.provenance.keys.PrivateFile;
import io.volute.server.Limits;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * Seals what a node reports about a client when it forwards a request, and opens it at the owner.
 * The seal is a header:
 *
 * <pre>
 *   x-volute-hop: v2 LISTENER CLIENT TLS REQUEST-ID SECONDS ELECTION RUN NUMBER MAC
 * </pre>
 *
 * <p>RUN is a random name of the process that seals, and NUMBER counts its seals: the owner of that
 * election handles each once.
 *
 * <p>The MAC is HMAC-SHA-256 with the secret of the cluster over the values before it, method,
 * path, query and all other headers. So a seal that somebody has seen is of no use with other
 * credentials or another framing. Thread-safe.
 */
public final class HopSeal {
    static final String HEADER = "x-volute-hop";

    private static final String VERSION = "v2";
    private static final String NONE = "-";
    private static final String TLS = "tls";
    private static final int FIELDS = 10;
    private static final int LEAST_CHARS = 16;
    private static final int MOST_FILE_BYTES = 4096;

    private final HopSigner signer;
    private final InstantSource clock;
    private final String run;
    private final AtomicLong count = new AtomicLong();
    private final HopNumbers seen = new HopNumbers(2L * Limits.CLOCK_SKEW_SECONDS_MAX);

    public HopSeal(byte[] secret, InstantSource clock, RandomGenerator random) {
        this.signer = new HopSigner(secret);
        this.clock = clock;
        this.run = HexFormat.of().toHexDigits(random.nextLong());
    }

    /** The listener that a client has connected to. */
    public enum Entrance {
        S3,
        ADMIN,
        /** No listener: another node calls, see {@link NodeCalls}. */
        NODES
    }

    /**
     * What a node reports about a client.
     *
     * @param tlsVersion empty if unknown
     * @param election of the owner that the request is for
     * @param isFirst whether the seal has not been opened before
     * @param sealed the request as the node has sent it
     */
    record Opened(
            Entrance entrance,
            String client,
            boolean isSecure,
            Optional<String> tlsVersion,
            String requestId,
            long election,
            boolean isFirst,
            HttpHead sealed) {

        /**
         * Returns the head as the client has sent it to the first node. Sealed once more for the
         * next node, it reports the same client.
         */
        HttpHead head() {
            return new HttpHead(
                    sealed.method(),
                    sealed.rawPath(),
                    sealed.rawQuery(),
                    unsealed(sealed.headers()),
                    isSecure,
                    client,
                    sealed.contentLength(),
                    requestId,
                    tlsVersion);
        }
    }

    /**
     * Reads the secret of a cluster.
     *
     * @throws IOException when the file cannot be used; the message names the remedy
     */
    public static byte[] secret(Path file) throws IOException {
        PrivateFile secret = new PrivateFile("the secret of the cluster", file);
        String text = secret.read(MOST_FILE_BYTES);
        if (!text.matches("[\\x21-\\x7E]{" + LEAST_CHARS + ",}")) {
            throw secret.unusable(
                    "is not one line of at least " + LEAST_CHARS + " visible ASCII characters");
        }
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Returns the value of the header for a request.
     *
     * @param election of the owner that gets it
     */
    String seal(Entrance entrance, HttpHead head, long election) {
        String tls = head.secure() ? head.tlsVersion().orElse(TLS) : NONE;
        String client = head.remoteAddress().isEmpty() ? NONE : head.remoteAddress();
        String values =
                String.join(
                        " ",
                        VERSION,
                        entrance.name(),
                        client,
                        tls,
                        head.requestId(),
                        Long.toString(clock.instant().getEpochSecond()),
                        Long.toString(election),
                        run,
                        Long.toString(count.incrementAndGet()));
        return values + " " + signer.sign(values, head);
    }

    /** Returns what a node reports; empty if no node of the cluster has sent the request. */
    Optional<Opened> open(HttpHead head) {
        List<String> seals = head.headers().all(HEADER);
        if (seals.size() != 1) {
            return Optional.empty();
        }
        String[] fields = seals.getFirst().split(" ", -1);
        if (fields.length != FIELDS || !fields[0].equals(VERSION)) {
            return Optional.empty();
        }
        int macAt = seals.getFirst().lastIndexOf(' ');
        String wanted = signer.sign(seals.getFirst().substring(0, macAt), head);
        if (!MessageDigest.isEqual(
                wanted.getBytes(StandardCharsets.US_ASCII),
                fields[FIELDS - 1].getBytes(StandardCharsets.US_ASCII))) {
            return Optional.empty();
        }
        long now = clock.instant().getEpochSecond();
        if (Math.abs(now - Long.parseLong(fields[5])) > Limits.CLOCK_SKEW_SECONDS_MAX) {
            return Optional.empty();
        }
        boolean isSecure = !fields[3].equals(NONE);
        return Optional.of(
                new Opened(
                        Entrance.valueOf(fields[1]),
                        fields[2].equals(NONE) ? "" : fields[2],
                        isSecure,
                        Optional.of(fields[3]).filter(text -> isSecure && !text.equals(TLS)),
                        fields[4],
                        Long.parseLong(fields[6]),
                        seen.isFirst(fields[7], Long.parseLong(fields[8]), now),
                        head));
    }

    /**
     * Returns the seal of the answer to a call of a node, which nobody else can make or use for
     * another call.
     *
     * @param requestId of the call, random
     */
    String sealAnswer(String requestId, String operation, byte[] content) {
        return signer.signAnswer(requestId, operation, digest(content));
    }

    /** Returns whether a node of the cluster has answered this call with this content. */
    boolean isAnswer(String answerSeal, String requestId, String operation, byte[] content) {
        return MessageDigest.isEqual(
                sealAnswer(requestId, operation, content).getBytes(StandardCharsets.US_ASCII),
                answerSeal.getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the SHA-256 of a content. */
    static String digest(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Returns the same head without a seal. */
    static HttpHead withoutSeal(HttpHead head) {
        return head.with(unsealed(head.headers()));
    }

    private static HeaderList unsealed(HeaderList headers) {
        return new HeaderList(
                headers.headers().stream().filter(each -> !each.name().equals(HEADER)).toList());
    }
}
