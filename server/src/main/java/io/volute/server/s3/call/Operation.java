package io.volute.server.s3.call;

import io.volute.server.s3.request.S3Response;
import java.io.IOException;

/** One S3 operation. Thread-safe; runs on the virtual thread of its request and may block. */
public interface Operation {

    /**
     * @param request verified and authorised
     * @throws io.volute.server.s3.error.S3Exception for what S3 refuses
     * @throws IOException for faults of the storage
     */
    S3Response run(S3Request request) throws IOException;
}
