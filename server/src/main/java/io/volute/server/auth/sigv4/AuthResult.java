package io.volute.server.auth.sigv4;

import io.volute.adminapi.signing.ChunkSigning;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import java.time.Instant;

/** The result of authentication; every caller must handle all three kinds. */
public sealed interface AuthResult {

    /** The place of the signature in the request. */
    enum Kind {
        HEADER,
        QUERY,
        /** In the Authorization header, of version 2. */
        HEADER_V2,
        /** In the query, of version 2. */
        QUERY_V2,
        /** In the fields of a form. */
        FORM,
        /** In the fields of a form, of version 2. */
        FORM_V2,
        /** The request has no signature. */
        NONE
    }

    /**
     * The request is by the owner of this credential.
     *
     * @param payload how the body is protected
     * @param payloadHash the value of {@code x-amz-content-sha256}
     * @param headers the request's headers, one line for each name, and for {@link Kind#QUERY} also
     *     the {@code x-amz-} parameters of the signed query, which S3 treats as headers
     * @param signing what chunk signatures build on; null without a signature of version 4
     * @param time when it was signed; the time of arrival when it does not say
     */
    record Verified(
            Credential credential,
            Kind kind,
            PayloadMode payload,
            String payloadHash,
            HeaderList headers,
            ChunkSigning signing,
            Instant time)
            implements AuthResult {
        public Verified {
            headers = headers.combined();
        }

        /** Returns the same request of a caller whose permissions may have changed. */
        public Verified with(Credential renewed) {
            return new Verified(renewed, kind, payload, payloadHash, headers, signing, time);
        }
    }

    /**
     * The request carries no credentials.
     *
     * @param request the request of an anonymous caller, who has only public permissions
     */
    record Anonymous(Verified request) implements AuthResult {}

    /** The request carries credentials that do not hold. */
    record Refused(S3Exception error) implements AuthResult {}
}
