package io.volute.server.query;

import io.volute.server.Limits;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.body.DocumentBuffer;
import io.volute.server.s3.body.SharedBudget;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.ClientNetwork;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import java.io.IOException;

/**
 * The form of a call. Its signature needs the form, so the form is read before the caller is
 * authenticated, and then takes one of a few places. Not thread-safe.
 */
final class QueryForm implements Authenticator.Form, AutoCloseable {
    private final HttpHead head;
    private final RequestBody body;
    private final Places places;
    private final DocumentBuffer buffer;
    private boolean isRead;

    /**
     * @param documents heap for the form
     */
    QueryForm(HttpHead head, RequestBody body, Places places, SharedBudget documents) {
        this.head = head;
        this.body = body;
        this.places = places;
        this.buffer =
                new DocumentBuffer(
                        documents,
                        ClientNetwork.of(head.remoteAddress()),
                        Limits.QUERY_FORM_BYTES_MAX);
    }

    /** Room for work on behalf of callers who are not authenticated. Thread-safe. */
    static final class Places {
        private final SharedBudget networks =
                new SharedBudget(Limits.QUERY_FORMS_MAX, Limits.QUERY_FORMS_OF_ADDRESS_MAX);
        private final SharedBudget keys =
                new SharedBudget(Limits.QUERY_FORMS_MAX, Limits.QUERY_FORMS_OF_KEY_MAX);

        private boolean enter(String network, String accessKey) {
            if (!networks.tryTake(network, 1)) {
                return false;
            }
            if (keys.tryTake(accessKey, 1)) {
                return true;
            }
            networks.giveBack(network, 1);
            return false;
        }

        private void leave(String network, String accessKey) {
            networks.giveBack(network, 1);
            keys.giveBack(accessKey, 1);
        }
    }

    @Override
    public byte[] read(Credential claimed) {
        return read(ClientNetwork.of(head.remoteAddress()), claimed.accessKey());
    }

    /** Reads the form of a caller without a credential: their network counts in place of a key. */
    byte[] readUnsigned() {
        String network = ClientNetwork.of(head.remoteAddress());
        return read(network, "unsigned " + network);
    }

    private byte[] read(String network, String accessKey) {
        if (!places.enter(network, accessKey)) {
            throw new QueryException(
                    S3Error.SLOW_DOWN.status(),
                    S3Error.SLOW_DOWN.code(),
                    S3Error.SLOW_DOWN.message());
        }
        try {
            return bytes();
        } finally {
            places.leave(network, accessKey);
        }
    }

    /** The whole form; read now if it has not been. */
    byte[] bytes() {
        if (!isRead) {
            gather();
            isRead = true;
        }
        return buffer.document();
    }

    private void gather() {
        if (head.contentLength() > Limits.QUERY_FORM_BYTES_MAX) {
            throw tooLong();
        }
        try {
            while (body.next()) {
                buffer.add(body.buffer());
            }
        } catch (IOException e) {
            throw new S3Exception(
                    S3Error.INCOMPLETE_BODY, "The body did not arrive: " + e.getMessage());
        } catch (S3Exception e) {
            throw e.error() == S3Error.MAX_MESSAGE_LENGTH_EXCEEDED ? tooLong() : e;
        }
    }

    private static QueryException tooLong() {
        return QueryException.invalid(
                "The form has more than " + Limits.QUERY_FORM_BYTES_MAX + " bytes.");
    }

    @Override
    public void close() {
        buffer.close();
    }
}
