package io.volute.server.s3.request;

/** S3's own limits (S3 User Guide, "Amazon S3 quotas" and the API pages of the operations). */
public final class S3Limits {
    /** Single PUT, and a part. */
    public static final long OBJECT_PUT_BYTES_MAX = 5L << 30;

    /** Names and values of user metadata together. */
    public static final int USER_METADATA_BYTES_MAX = 2048;

    public static final int PARTS_MAX = 10_000;
    public static final int PAGE_MAX = 1000;
    public static final int BUCKETS_PAGE_MAX = 10_000;
    public static final int DELETE_KEYS_MAX = 1000;
    public static final int TAGS_MAX = 10;
    public static final int TAG_KEY_CHARS_MAX = 128;
    public static final int TAG_VALUE_CHARS_MAX = 256;

    /** Documents in general. */
    public static final int XML_BYTES_MAX = 1 << 20;

    /** DeleteObjects: 1,000 keys of 1,024 bytes, escaped. */
    public static final int DELETE_XML_BYTES_MAX = 2 << 20;

    /** CompleteMultipartUpload: 10,000 parts with ETag and every checksum. */
    public static final int COMPLETE_XML_BYTES_MAX = 6 << 20;

    public static final int XML_ELEMENTS_MAX = 10_000;
    public static final int COMPLETE_XML_ELEMENTS_MAX = 90_000;

    /** A named actor's name. */
    public static final int ACTOR_CHARS_MAX = 128;

    private S3Limits() {}
}
