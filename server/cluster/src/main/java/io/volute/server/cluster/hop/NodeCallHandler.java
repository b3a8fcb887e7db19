package io.volute.server.cluster.hop;

import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.About;
import io.volute.server.s3.request.S3Response.Content;
import io.volute.versioning.StoreException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the calls of other nodes behind a {@link HopGate}, which opens their seals. Thread-safe.
 */
public final class NodeCallHandler implements S3Handler {
    private static final Logger LOG = LoggerFactory.getLogger(NodeCallHandler.class);
    private static final About OPERATION = About.UNKNOWN.of("NodeCall");

    private final HopSeal seal;
    private final Map<String, Operation> operations;

    /** An operation that other nodes can call. Thread-safe. */
    @FunctionalInterface
    public interface Operation {
        /**
         * Handles one call. Its failure is the caller's: a {@link StoreException} and a {@link
         * io.volute.storage.CubeUnavailableException} keep their kind, others become an
         * IOException.
         *
         * @return at most {@link NodeCalls#MOST_BYTES}
         */
        byte[] handle(byte[] content) throws IOException;
    }

    /**
     * @param operations by name: lower-case letters, digits and hyphens
     */
    public NodeCallHandler(HopSeal seal, Map<String, Operation> operations) {
        this.seal = seal;
        this.operations = Map.copyOf(operations);
    }

    @Override
    public S3Response handle(HttpHead head, RequestBody body) {
        String name = head.rawPath().substring(1);
        byte[] answer;
        try {
            byte[] result = operation(name).handle(content(head, body));
            if (result.length > NodeCalls.MOST_BYTES) {
                throw new IOException(
                        "a result of " + name + " has " + result.length + " bytes, too many");
            }
            answer = NodeAnswer.of(result);
        } catch (StoreException | IOException e) {
            LOG.debug("call {} of another node: {}", name, e.toString());
            answer = NodeAnswer.of(e);
        } catch (RuntimeException e) {
            LOG.error("call {} of another node failed unexpectedly", name, e);
            answer = NodeAnswer.of(e);
        }
        return new S3Response(
                200,
                List.of(
                        new Header(
                                NodeCalls.ANSWER, seal.sealAnswer(head.requestId(), name, answer))),
                new Content.Bytes(answer),
                OPERATION);
    }

    private Operation operation(String name) throws IOException {
        Operation operation = operations.get(name);
        if (operation == null) {
            throw new IOException("there is no operation " + name + ": compare the releases");
        }
        return operation;
    }

    /** Reads the content, and compares it with the digest beneath the seal. */
    private static byte[] content(HttpHead head, RequestBody body) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (body.next()) {
            ByteBuffer piece = body.buffer();
            byte[] bytes = new byte[piece.remaining()];
            piece.get(bytes);
            all.writeBytes(bytes);
            if (all.size() > NodeCalls.MOST_BYTES) {
                throw new IOException("the content of a call is too long");
            }
        }
        byte[] content = all.toByteArray();
        byte[] digest = HopSeal.digest(content).getBytes(StandardCharsets.US_ASCII);
        byte[] sealed =
                head.headers()
                        .first(NodeCalls.CONTENT)
                        .orElse("")
                        .getBytes(StandardCharsets.US_ASCII);
        if (!MessageDigest.isEqual(digest, sealed)) {
            throw new IOException("the content of a call is not the one that was sealed");
        }
        return content;
    }
}
