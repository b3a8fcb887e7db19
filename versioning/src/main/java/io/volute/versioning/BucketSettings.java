package io.volute.versioning;

import java.io.IOException;
import java.util.function.UnaryOperator;

/** Settings of buckets that change nothing in what lies in them. Thread-safe. */
public interface BucketSettings {

    /**
     * Changes who may do something with a bucket; durable when it returns. What it was stays known
     * to who looks at the past.
     *
     * @param change is given what holds, and called once; what it throws changes nothing
     * @throws StoreException NO_SUCH_BUCKET
     */
    void setAccess(BucketName bucket, UnaryOperator<BucketAccess> change) throws IOException;
}
