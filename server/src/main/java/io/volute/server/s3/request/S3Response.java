package io.volute.server.s3.request;

import io.volute.storage.BlobReader;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;

/**
 * An answer as the protocol layer makes it; the HTTP layer adds framing, date, server and request
 * id.
 *
 * @param about the facts about the request, for logs and metrics; they are not sent
 */
public record S3Response(
        int status, List<HeaderList.Header> headers, Content content, About about) {
    public S3Response {
        headers = List.copyOf(headers);
    }

    /** Creates a response without a description of its request. */
    public S3Response(int status, List<HeaderList.Header> headers, Content content) {
        this(status, headers, content, About.UNKNOWN);
    }

    /** Returns the same response with a description of its request. It keeps the entries. */
    public S3Response with(About other) {
        return new S3Response(status, headers, content, other.having(about.entries()));
    }

    /** Returns the same response with the outcomes of several keys. */
    public S3Response having(List<About.Entry> entries) {
        return new S3Response(status, headers, content, about.having(entries));
    }

    /**
     * The known facts about a request; unknown ones are empty.
     *
     * @param operation its name, one of few
     * @param user the caller's principal, verified
     * @param accessKey the caller's access key, verified
     * @param session name of the caller's temporary credential
     * @param bucket as the client wrote it
     * @param key as the client wrote it, decoded
     * @param code of the error; empty when there was none
     * @param entries of a request that names several keys
     */
    public record About(
            String operation,
            String user,
            String accessKey,
            String session,
            String bucket,
            String key,
            String code,
            List<Entry> entries) {
        public About {
            entries = List.copyOf(entries);
        }

        public static final About UNKNOWN = new About("", "", "", "", "", "", "");

        /** Creates the facts about a request with at most one key. */
        public About(
                String operation,
                String user,
                String accessKey,
                String session,
                String bucket,
                String key,
                String code) {
            this(operation, user, accessKey, session, bucket, key, code, List.of());
        }

        /**
         * The outcome of one key.
         *
         * @param versionId as the client wrote it; empty when it named none
         * @param status as a request for the key alone has it
         * @param code of the error; empty when there was none
         */
        public record Entry(String key, String versionId, int status, String code) {}

        /** Returns the same facts with another operation. */
        public About of(String other) {
            return new About(other, user, accessKey, session, bucket, key, code, entries);
        }

        /** Returns the same facts with the outcomes of keys. */
        public About having(List<Entry> outcomes) {
            return new About(operation, user, accessKey, session, bucket, key, code, outcomes);
        }

        /** Returns the same facts with the code of a later failure. */
        public About failing(String with) {
            return new About(operation, user, accessKey, session, bucket, key, with, entries);
        }

        /** Returns the name of an operation as in S3: {@code GetObject} for {@code GET_OBJECT}. */
        public static String name(Enum<?> operation) {
            StringBuilder name = new StringBuilder();
            for (String word : operation.name().split("_")) {
                name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
            }
            return name.toString();
        }
    }

    /** Makes a body. */
    @FunctionalInterface
    public interface Writer {
        /** Called once; waits for the client. The target is not to be closed. */
        void writeTo(OutputStream target) throws IOException;
    }

    /** The body. */
    public sealed interface Content {
        /**
         * The absence of a body. {@code contentLength} is what HEAD announces; -1 announces
         * nothing.
         */
        record None(long contentLength) implements Content {}

        /** A body in memory (XML). */
        record Bytes(byte[] bytes) implements Content {}

        /** Bytes {@code [begin, end)} of a blob; the HTTP layer reads, sends and closes it. */
        record Blob(BlobReader reader, long begin, long end) implements Content {}

        /**
         * Bytes that are made while they are sent, as many as there are. Cut off when the writer
         * fails, which the client sees.
         */
        record Stream(Writer writer) implements Content {}
    }
}
