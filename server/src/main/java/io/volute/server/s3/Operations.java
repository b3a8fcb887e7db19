package io.volute.server.s3;

import io.volute.server.s3.operation.CreateBucket;
import io.volute.server.s3.operation.GetObject;
import io.volute.server.s3.operation.HeadObject;
import io.volute.server.s3.operation.ListObjectsV2;
import io.volute.server.s3.operation.Operation;
import io.volute.server.s3.operation.PutObject;
import io.volute.server.s3.operation.S3Call;
import io.volute.server.s3.operation.UnsetConfiguration;
import io.volute.versioning.ObjectStore;
import java.util.EnumMap;
import java.util.Map;

/** The operation behind each call. */
final class Operations {
    private Operations() {}

    static Map<S3Call, Operation> over(ObjectStore store) {
        Map<S3Call, Operation> operations = new EnumMap<>(S3Call.class);
        operations.put(S3Call.CREATE_BUCKET, new CreateBucket(store));
        operations.put(S3Call.LIST_OBJECTS_V2, new ListObjectsV2(store));
        operations.put(S3Call.PUT_OBJECT, new PutObject(store));
        operations.put(S3Call.GET_OBJECT, new GetObject(store));
        operations.put(S3Call.HEAD_OBJECT, new HeadObject(store));
        operations.put(S3Call.GET_UNSET_CONFIGURATION, UnsetConfiguration::read);
        operations.put(S3Call.DELETE_UNSET_CONFIGURATION, UnsetConfiguration::delete);
        return operations;
    }
}
