package io.volute.server.cluster.hop;

import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.StoreException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The content of an answer to a call between nodes: a line, and the result or the message of a
 * failure.
 *
 * <pre>
 *   ok                       the result follows
 *   store REASON             a StoreException
 *   cube REASON NAME-OR-"-"  a CubeUnavailableException
 *   failed                   another failure
 * </pre>
 */
final class NodeAnswer {
    private static final String OK = "ok";
    private static final String STORE = "store";
    private static final String CUBE = "cube";
    private static final String FAILED = "failed";
    private static final String NONE = "-";
    private static final int LONGEST_MESSAGE = 2000;

    /** Bytes of an answer beside its result. */
    static final int MORE_BYTES = 16 * 1024;

    private NodeAnswer() {}

    /** Encodes a result. */
    static byte[] of(byte[] result) {
        return encoded(OK, result);
    }

    /** Encodes a failure. Those that the caller's own operations can have keep their kind. */
    static byte[] of(Exception failure) {
        String kind =
                switch (failure) {
                    case StoreException store -> STORE + ' ' + store.reason().name();
                    case CubeUnavailableException cube ->
                            String.join(" ", CUBE, cube.reason().name(), cube.cube().orElse(NONE));
                    default -> FAILED;
                };
        String message = String.valueOf(failure.getMessage());
        return encoded(
                kind,
                message.substring(0, Math.min(message.length(), LONGEST_MESSAGE))
                        .getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] encoded(String kind, byte[] content) {
        ByteArrayOutputStream all = new ByteArrayOutputStream(kind.length() + 1 + content.length);
        all.writeBytes(kind.getBytes(StandardCharsets.UTF_8));
        all.write('\n');
        all.writeBytes(content);
        return all.toByteArray();
    }

    /**
     * Returns the result of a call.
     *
     * @param node address of the called node, for messages
     * @throws StoreException as the operation
     * @throws CubeUnavailableException as the operation
     * @throws IOException when the operation has failed otherwise
     */
    static byte[] result(byte[] answer, String node) throws IOException {
        int end = 0;
        while (end < answer.length && answer[end] != '\n') {
            end++;
        }
        String[] kind = new String(answer, 0, end, StandardCharsets.UTF_8).split(" ", -1);
        byte[] content =
                Arrays.copyOfRange(answer, Math.min(end + 1, answer.length), answer.length);
        if (kind[0].equals(OK)) {
            return content;
        }
        String message = new String(content, StandardCharsets.UTF_8);
        try {
            if (kind[0].equals(STORE) && kind.length == 2) {
                throw new StoreException(StoreException.Reason.valueOf(kind[1]), message);
            }
            if (kind[0].equals(CUBE) && kind.length == 3) {
                throw unavailable(
                        CubeUnavailableException.Reason.valueOf(kind[1]), kind[2], message);
            }
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "node " + node + " has a reason of another release: " + message, e);
        }
        throw new IOException("node " + node + ": " + message);
    }

    private static CubeUnavailableException unavailable(
            CubeUnavailableException.Reason reason, String cube, String message) {
        if (cube.equals(NONE)) {
            return new CubeUnavailableException(reason, message);
        }
        // The exception puts the name before its message again.
        String name = "cube " + cube + ": ";
        String own = message.startsWith(name) ? message.substring(name.length()) : message;
        return new CubeUnavailableException(reason, own).in(cube);
    }
}
