package io.volute.admin.migrate;

/**
 * A bucket of the source and the bucket that it is imported into.
 *
 * @param endpoint of the source, without a slash at its end
 * @param prefix of the imported keys; empty for all
 */
record BucketPair(String endpoint, String source, String prefix, String target) {

    /** Returns the place that imported versions name as their source. */
    String place() {
        return endpoint + "/" + source;
    }
}
