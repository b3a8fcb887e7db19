package io.volute.server.s3.object;

import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.content.ReadPlan;
import io.volute.server.s3.content.ReadTarget;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.request.S3Response;
import io.volute.storage.BlobReader;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectReader.OpenObject;
import java.io.IOException;

/** GetObject: the whole, a range or a part. */
public final class GetObject implements Operation {
    private final ObjectReader store;
    private final Encryption encryption;

    public GetObject(ObjectReader store, Encryption encryption) {
        this.store = store;
        this.encryption = encryption;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        OpenObject object = ReadTarget.open(store, request);
        boolean handedOver = false;
        try {
            BlobReader reader = encryption.reader(request, object);
            ReadPlan plan = ReadPlan.of(store, request, object.version());
            S3Response response =
                    plan.end() > plan.begin()
                            ? plan.answer().blob(reader, plan.begin(), plan.end())
                            : plan.status() == 304
                                    ? plan.answer().withoutBody(-1)
                                    : plan.answer().empty();
            handedOver = response.content() instanceof S3Response.Content.Blob;
            return response;
        } finally {
            if (!handedOver) {
                object.reader().close();
            }
        }
    }
}
