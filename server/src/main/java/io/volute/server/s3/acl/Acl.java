package io.volute.server.s3.acl;

import static java.util.Comparator.comparing;

import io.volute.server.credentials.Credential;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.PercentCoding;
import io.volute.server.s3.request.PercentCoding.Plus;
import io.volute.server.s3.request.PercentCoding.Slash;
import io.volute.versioning.value.BucketAccess.PublicAccessRule;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.ObjectAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The ACL of a bucket or object. At rest it is a text of words with a blank between:
 *
 * <pre>
 *   1 | owner | for each grant: permission : u (user) or g (group) : id or word
 * </pre>
 *
 * Ids and owner are percent-encoded. A private ACL of the bucket's owner is not stored.
 *
 * @param owner of the bucket or object
 */
public record Acl(String owner, List<Grant> grants) {
    private static final String VERSION = "1";

    /** A permission of a grantee. */
    public record Grant(Grantee grantee, Permission permission) {}

    /** Orders the groups in front of the users. */
    public Acl {
        grants =
                grants.stream()
                        .sorted(comparing(grant -> grant.grantee() instanceof Grantee.User))
                        .toList();
    }

    /** Returns the ACL that gives full control to the owner alone. */
    public static Acl privateOf(String owner) {
        return new Acl(owner, List.of(fullControl(owner)));
    }

    static Grant fullControl(String user) {
        return new Grant(new Grantee.User(user), Permission.FULL_CONTROL);
    }

    /** Returns the ACL of a bucket that has ACLs. */
    public static Acl of(BucketInfo bucket) {
        return bucket.document(BucketDocument.ACL)
                .map(Acl::read)
                .orElseGet(() -> privateOf(bucket.owner()));
    }

    /** Returns the ACL of an object or upload in a bucket that has ACLs. */
    public static Acl of(ObjectAttributes attributes, BucketInfo bucket) {
        String text = attributes.headers().get(ObjectAttributes.ACL);
        return text == null ? privateOf(bucket.owner()) : read(text);
    }

    /** Returns whether it lets the delivery of server access logs write. */
    public boolean allowsLogDelivery() {
        return grants.stream()
                .anyMatch(
                        grant ->
                                grant.grantee() == Grantee.Group.LOG_DELIVERY
                                        && grant.permission().includes(Permission.WRITE));
    }

    /** Returns whether it gives full control to the owner, and nothing to others. */
    public boolean isPrivate() {
        return equals(privateOf(owner));
    }

    /** Returns whether S3 calls it public: everyone, or everyone with a signature, has a grant. */
    public boolean isPublic() {
        return grants.stream().anyMatch(grant -> isPublic(grant.grantee()));
    }

    private static boolean isPublic(Grantee grantee) {
        return grantee instanceof Grantee.Group group && group.isPublic();
    }

    /**
     * Returns whether a caller has a permission. The owner always reads and writes the ACL.
     *
     * @param ignoresPublic whether the grants of public groups do not count
     */
    public boolean allows(Credential who, Permission permission, boolean ignoresPublic) {
        boolean isAboutAcl =
                permission == Permission.READ_ACP || permission == Permission.WRITE_ACP;
        if (isAboutAcl && new Grantee.User(owner).covers(who)) {
            return true;
        }
        for (Grant grant : grants) {
            if (grant.permission().includes(permission)
                    && grant.grantee().covers(who)
                    && !(ignoresPublic && isPublic(grant.grantee()))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Refuses a public ACL where the public access block of the bucket does.
     *
     * @throws S3Exception AccessDenied
     */
    public void requireUnblocked(BucketInfo bucket) {
        if (isPublic() && bucket.access().has(PublicAccessRule.BLOCK_PUBLIC_ACLS)) {
            throw new S3Exception(
                    S3Error.ACCESS_DENIED,
                    "The ACL is public, and this bucket's public access block has"
                            + " BlockPublicAcls.");
        }
    }

    /** Returns the stored form; empty when there is nothing to store. */
    public Optional<String> stored(String bucketOwner) {
        return equals(privateOf(bucketOwner)) ? Optional.empty() : Optional.of(text());
    }

    private String text() {
        StringBuilder text = new StringBuilder(VERSION).append(' ');
        PercentCoding.encode(owner, Slash.ENCODED, text);
        for (Grant grant : grants) {
            text.append(' ').append(grant.permission()).append(':');
            switch (grant.grantee()) {
                case Grantee.User(String id) ->
                        PercentCoding.encode(id, Slash.ENCODED, text.append("u:"));
                case Grantee.Group group -> text.append("g:").append(group.word());
            }
        }
        return text.toString();
    }

    private static Acl read(String text) {
        String[] words = text.split(" ", -1);
        if (words.length < 2 || !words[0].equals(VERSION)) {
            throw unreadable();
        }
        List<Grant> grants = new ArrayList<>();
        for (int i = 2; i < words.length; i++) {
            String[] parts = words[i].split(":", -1);
            if (parts.length != 3) {
                throw unreadable();
            }
            grants.add(
                    new Grant(
                            grantee(parts[1], parts[2]),
                            Permission.named(parts[0]).orElseThrow(Acl::unreadable)));
        }
        return new Acl(PercentCoding.decode(words[1], Plus.LITERAL), grants);
    }

    private static Grantee grantee(String kind, String value) {
        return switch (kind) {
            case "u" -> new Grantee.User(PercentCoding.decode(value, Plus.LITERAL));
            case "g" -> Grantee.Group.ofWord(value).orElseThrow(Acl::unreadable);
            default -> throw unreadable();
        };
    }

    private static IllegalStateException unreadable() {
        return new IllegalStateException("the ACL of a bucket or object cannot be read");
    }
}
