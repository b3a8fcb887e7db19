package io.volute.server.s3.acl;

import io.volute.server.credentials.Credential;
import io.volute.server.s3.request.HeaderList;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import java.util.Arrays;
import java.util.Optional;

/**
 * The owner of the objects of a bucket, and whether the bucket has ACLs (S3 User Guide,
 * "Controlling ownership of objects"). The document of the bucket is the word; a bucket without the
 * document is of {@link #BUCKET_OWNER_ENFORCED}.
 */
public enum ObjectOwnership {
    /** The bucket's owner. ACLs are disabled. */
    BUCKET_OWNER_ENFORCED("BucketOwnerEnforced"),
    /** The bucket's owner when the writer gives that owner full control; else the writer. */
    BUCKET_OWNER_PREFERRED("BucketOwnerPreferred"),
    /** The writer. */
    OBJECT_WRITER("ObjectWriter");

    /** Name of the header that selects it for a new bucket. */
    public static final String HEADER = "x-amz-object-ownership";

    /** The document of a bucket whose controls were deleted, which then is as before 2021. */
    private static final String DELETED = "none";

    private final String word;

    ObjectOwnership(String word) {
        this.word = word;
    }

    /** Returns the word of S3 for it. */
    public String word() {
        return word;
    }

    /** Returns the ownership of that word; empty when there is none. */
    public static Optional<ObjectOwnership> named(String word) {
        return Arrays.stream(values()).filter(each -> each.word.equals(word)).findFirst();
    }

    /** Returns the ownership of the objects of a bucket. */
    public static ObjectOwnership of(BucketInfo bucket) {
        Optional<String> document = bucket.document(BucketDocument.OWNERSHIP);
        return document.isEmpty()
                ? BUCKET_OWNER_ENFORCED
                : named(document.get()).orElse(OBJECT_WRITER);
    }

    /** Returns whether the controls of a bucket were deleted. */
    public static boolean isDeleted(BucketInfo bucket) {
        return bucket.document(BucketDocument.OWNERSHIP).equals(Optional.of(DELETED));
    }

    /** Returns the document of a bucket with this ownership; empty for none. */
    public Optional<String> document() {
        return this == BUCKET_OWNER_ENFORCED ? Optional.empty() : Optional.of(word);
    }

    /** Returns the document of a bucket whose controls are deleted. */
    public static Optional<String> deleted() {
        return Optional.of(DELETED);
    }

    /** Returns whether ACLs count. */
    public boolean hasAcls() {
        return this != BUCKET_OWNER_ENFORCED;
    }

    /**
     * Returns the owner of an object that a request makes. A writer without a signature owns
     * nothing: that object belongs to the bucket's owner.
     */
    public String ofNew(BucketInfo bucket, Credential writer, HeaderList headers) {
        boolean isOfBucketOwner =
                switch (this) {
                    case BUCKET_OWNER_ENFORCED -> true;
                    case BUCKET_OWNER_PREFERRED ->
                            headers.first(AclHeaders.CANNED)
                                    .filter(AclHeaders.BUCKET_OWNER_FULL_CONTROL::equals)
                                    .isPresent();
                    case OBJECT_WRITER -> false;
                };
        return isOfBucketOwner || writer.kind() == Credential.Kind.ANONYMOUS
                ? bucket.owner()
                : writer.account();
    }
}
