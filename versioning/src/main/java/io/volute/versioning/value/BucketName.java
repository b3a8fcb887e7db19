package io.volute.versioning.value;

import io.volute.provenance.record.ChainIdentity;
import java.util.regex.Pattern;

/**
 * A bucket name that is valid by S3's rules (S3 User Guide, "General purpose bucket naming rules")
 * and not a {@link BucketAlias}.
 */
public record BucketName(String value) implements BucketRef, Comparable<BucketName> {
    public static final int CHARS_MIN = 3;
    public static final int CHARS_MAX = 63;

    /** The first and last character are letters or digits. */
    private static final Pattern SHAPE =
            Pattern.compile(
                    "[a-z0-9][a-z0-9.-]{" + (CHARS_MIN - 2) + "," + (CHARS_MAX - 2) + "}[a-z0-9]");

    private static final Pattern ADDRESS = Pattern.compile("\\d+\\.\\d+\\.\\d+\\.\\d+");

    /**
     * The name that stands for the store itself in its own chain. It is not a valid bucket name.
     */
    public static final BucketName OF_STORE = new BucketName(ChainIdentity.STORE_BUCKET);

    public BucketName {
        if (!isValid(value) && !value.equals(ChainIdentity.STORE_BUCKET)) {
            throw new IllegalArgumentException("not a valid bucket name: " + value);
        }
    }

    /** Returns whether a bucket of this name may be created. */
    public static boolean isValid(String name) {
        return SHAPE.matcher(name).matches()
                && !name.contains("..")
                && BucketAlias.parse(name).isEmpty()
                && !ADDRESS.matcher(name).matches()
                && !name.startsWith("xn--")
                && !name.startsWith("sthree-")
                && !name.endsWith("-s3alias")
                && !name.endsWith("--ol-s3");
    }

    @Override
    public BucketName name() {
        return this;
    }

    @Override
    public boolean means(long bucketId) {
        return true;
    }

    @Override
    public int compareTo(BucketName other) {
        return value.compareTo(other.value);
    }
}
