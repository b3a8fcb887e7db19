package io.volute.admin.migrate;

import io.volute.admin.s3.S3Client;
import io.volute.admin.s3.S3Error;
import io.volute.admin.s3.S3Request;
import io.volute.admin.s3.XmlTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads the ACLs of the source, and turns them into headers with grants for the target. Grants of
 * the source's owner go to the owner here, those of groups stay. Those of other users are lost: a
 * user here is another one, even with the same name. Thread-safe.
 *
 * @param isAsked whether objects at the source can have ACLs that say something
 * @param sourceOwner canonical id of the source bucket's owner; empty if it is unknown
 * @param owner canonical id of the target bucket's owner; empty when ACLs are disabled there
 */
record SourceGrants(
        S3Client source,
        String sourceBucket,
        boolean isAsked,
        String sourceOwner,
        Optional<String> owner) {
    static final String OWNERSHIP = "ownershipControls";
    private static final String ACL = "acl";
    private static final String FULL_CONTROL = "FULL_CONTROL";

    /** The address of a group, which ends no quoted text of a header. */
    private static final String GROUP = "[!-~&&[^\",\\\\]]{1,1024}";

    /** The words of S3 for permissions, with their headers. */
    private static final Map<String, String> HEADERS =
            Map.of(
                    FULL_CONTROL,
                    "x-amz-grant-full-control",
                    "READ",
                    "x-amz-grant-read",
                    "WRITE",
                    "x-amz-grant-write",
                    "READ_ACP",
                    "x-amz-grant-read-acp",
                    "WRITE_ACP",
                    "x-amz-grant-write-acp");

    /** Statuses of servers that have no such thing: not allowed, not implemented. */
    private static final Set<Integer> UNKNOWN = Set.of(400, 405, 501);

    /**
     * Looks what both buckets have. The target bucket has its ownership controls.
     *
     * @param isMinio whether the source is a MinIO server, which answers with the same ACL always
     */
    static SourceGrants of(S3Client source, S3Client target, BucketPair pair, boolean isMinio)
            throws IOException, InterruptedException {
        boolean isAsked = !isMinio && hasAcls(source, pair.source());
        return new SourceGrants(
                source,
                pair.source(),
                isAsked,
                isAsked
                        ? document(source, S3Request.of("GET", pair.source()))
                                .map(SourceGrants::ownerOf)
                                .orElse("")
                        : "",
                hasAcls(target, pair.target())
                        ? document(target, S3Request.of("GET", pair.target()))
                                .map(SourceGrants::ownerOf)
                        : Optional.empty());
    }

    /** Returns whether the ACLs of a bucket count; also for a server that does not know that. */
    private static boolean hasAcls(S3Client client, String bucket)
            throws IOException, InterruptedException {
        try {
            return client.find(S3Request.of("GET", bucket).with(OWNERSHIP, ""))
                    .filter(
                            found ->
                                    new String(found, StandardCharsets.UTF_8)
                                            .contains("BucketOwnerEnforced"))
                    .isEmpty();
        } catch (S3Error e) {
            if (UNKNOWN.contains(e.status())) {
                return true;
            }
            throw e;
        }
    }

    /** Returns an ACL; empty if the server has none. */
    private static Optional<XmlTree> document(S3Client client, S3Request request)
            throws IOException, InterruptedException {
        try {
            Optional<byte[]> found = client.find(request.with(ACL, ""));
            return found.isEmpty()
                    ? Optional.empty()
                    : Optional.of(XmlTree.parse(found.get()))
                            .filter(each -> each.name().equals("AccessControlPolicy"));
        } catch (S3Error e) {
            if (UNKNOWN.contains(e.status())) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static String ownerOf(XmlTree acl) {
        return acl.child("Owner").map(each -> each.text("ID")).orElse("");
    }

    /** Returns the headers that give the ACL of the source's bucket; none if nothing is shared. */
    Map<String, String> ofBucket(List<String> lost) throws InterruptedException {
        return headers(S3Request.of("GET", sourceBucket), lost);
    }

    /**
     * Returns the headers that give the ACL of a version; none if it shares nothing.
     *
     * @param lost gets what cannot be carried over, in words
     */
    Map<String, String> ofVersion(String key, String id, List<String> lost)
            throws InterruptedException {
        return headers(S3Request.of("GET", sourceBucket, key).with("versionId", id), lost);
    }

    private Map<String, String> headers(S3Request about, List<String> lost)
            throws InterruptedException {
        if (!isAsked) {
            return Map.of();
        }
        try {
            Optional<XmlTree> acl = document(source, about);
            return acl.isEmpty() ? Map.of() : headers(acl.get(), lost);
        } catch (IOException e) {
            lost.add("ACL: " + e.getMessage());
            return Map.of();
        }
    }

    private Map<String, String> headers(XmlTree acl, List<String> lost) {
        List<String> owners = List.of(sourceOwner, ownerOf(acl));
        if (!sourceOwner.equals(ownerOf(acl))) {
            lost.add("owner " + ownerOf(acl) + ": the owner of the bucket owns it here");
        }
        Map<String, List<String>> grantees = new TreeMap<>();
        List<String> shared = new ArrayList<>();
        for (XmlTree grant :
                acl.child("AccessControlList").map(XmlTree::children).orElse(List.of())) {
            String permission = grant.text("Permission");
            XmlTree grantee = grant.child("Grantee").orElse(grant);
            String uri = grantee.text("URI");
            boolean isOwner = uri.isEmpty() && owners.contains(grantee.text("ID"));
            if (!isOwner) {
                shared.add(permission + " to " + (uri.isEmpty() ? name(grantee) : uri));
            }
            if (uri.matches(GROUP) && HEADERS.containsKey(permission)) {
                grantees.computeIfAbsent(permission, each -> new ArrayList<>())
                        .add("uri=\"" + uri + "\"");
            } else if (!isOwner) {
                lost.add("ACL: " + shared.getLast() + ": give it to a user of this server");
            }
        }
        if (grantees.isEmpty()) {
            return Map.of();
        }
        if (owner.isEmpty()) {
            lost.removeIf(each -> each.startsWith("ACL: "));
            lost.add(
                    "ACL: "
                            + String.join(", ", shared)
                            + ": ACLs are disabled here; give the bucket ownership controls first");
            return Map.of();
        }
        grantees.computeIfAbsent(FULL_CONTROL, each -> new ArrayList<>())
                .add("id=\"" + owner.get() + "\"");
        Map<String, String> headers = new TreeMap<>();
        grantees.forEach(
                (permission, all) -> headers.put(HEADERS.get(permission), String.join(", ", all)));
        return headers;
    }

    private static String name(XmlTree grantee) {
        String id = grantee.text("ID");
        return "user " + (id.isEmpty() ? grantee.text("EmailAddress") : id);
    }
}
