package io.volute.server.s3.object;

import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.content.ReadPlan;
import io.volute.server.s3.content.ReadTarget;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.request.S3Response;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;

/** HeadObject: GetObject without the bytes. */
public final class HeadObject implements Operation {
    private final ObjectReader store;
    private final Encryption encryption;

    public HeadObject(ObjectReader store, Encryption encryption) {
        this.store = store;
        this.encryption = encryption;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        ObjectVersion version = ReadTarget.find(store, request);
        encryption.requireReadable(request, version, ReadPlan.wantsChecksum(request));
        ReadPlan plan = ReadPlan.of(store, request, version);
        return plan.answer().withoutBody(plan.status() == 304 ? -1 : plan.end() - plan.begin());
    }
}
