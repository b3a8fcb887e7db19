package io.volute.server.query;

import io.volute.server.Limits;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.body.DocumentBuffer;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import java.io.IOException;

/**
 * The form of a call. Its signature needs the form, so the form is read before the caller is
 * authenticated, with the allowance of such callers. Not thread-safe.
 */
final class QueryForm implements Authenticator.Form, AutoCloseable {
    private final HttpHead head;
    private final RequestBody body;
    private final DocumentBuffer buffer;
    private boolean isRead;

    QueryForm(HttpHead head, RequestBody body) {
        this.head = head;
        this.body = body;
        this.buffer = new DocumentBuffer(head.allowance(), Limits.QUERY_FORM_BYTES_MAX);
    }

    @Override
    public byte[] read(Credential claimed) {
        return bytes();
    }

    /** The whole form; read now if it has not been. */
    byte[] bytes() {
        if (!isRead) {
            head.allowance().beginForm();
            gather();
            head.allowance().endForm();
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
