package io.volute.server.s3.object;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Conditions;
import io.volute.server.s3.call.Locks;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.request.S3Response;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.DeleteResult;
import io.volute.versioning.ObjectStore.DeleteTarget;
import java.io.IOException;
import java.util.Optional;

/** DeleteObject: of a version, or by a delete marker in a bucket with versions. */
public final class DeleteObject implements Operation {
    private final ObjectStore store;

    public DeleteObject(ObjectStore store) {
        this.store = store;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        DeleteResult result =
                store.delete(
                        request.caller(),
                        request.bucketInfo(),
                        new DeleteTarget(
                                request.key(),
                                request.selector(),
                                Conditions.ofDelete(request),
                                Locks.bypassesGovernance(request, request.thing())));
        Answer answer = Answer.of(204);
        Optional<String> asked = request.query().get("versionId");
        if (asked.isPresent()) {
            answer.header("x-amz-version-id", asked.get());
        } else if (result.markerCreated() && result.version().isPresent()) {
            answer.header("x-amz-version-id", result.version().get().versionId());
        }
        if (result.markerCreated() || result.markerRemoved()) {
            answer.header("x-amz-delete-marker", "true");
        }
        return answer.withoutBody(-1);
    }
}
