package io.volute.server.identity;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The managed policies that every store has and nobody can change. The policies of this server have
 * short names. Those that AWS has in every account, reduced to this server's services, have their
 * ARN as their name, which no stored policy can have.
 */
final class BuiltInPolicies {
    private static final String OF_AWS = "arn:aws:iam::aws:policy/";

    /** Creation of the policies of AWS (AWS Managed Policy Reference Guide). */
    private static final Instant OLDER = Instant.parse("2015-02-06T18:40:00Z");

    /** Creation of the policies of this server. */
    private static final Instant NEWER = Instant.parse("2026-11-26T00:00:00Z");

    private static final IdentityDetails OF_VOLUTE = IdentityDetails.NONE.withPath("/volute/");
    private static final String EVERYTHING = "\"*\"";

    /** Actions of the policies that can be limited to one bucket. */
    private static final Map<String, String> ON_BUCKETS =
            Map.of(
                    "readonly",
                    "[\"s3:Get*\", \"s3:List*\"]",
                    "readwrite",
                    "[\"s3:Get*\", \"s3:List*\", \"s3:PutObject\", \"s3:PutObjectTagging\","
                            + " \"s3:DeleteObject\", \"s3:DeleteObjectTagging\","
                            + " \"s3:AbortMultipartUpload\"]",
                    "writeonly",
                    "[\"s3:PutObject\", \"s3:AbortMultipartUpload\","
                            + " \"s3:ListMultipartUploadParts\"]");

    private static final Map<String, String> ON_SERVER =
            Map.of(
                    "diagnostics",
                    "[\"volute:Space\", \"volute:Requests\", \"volute:Check\", \"volute:Scrub\","
                            + " \"volute:Audit\", \"volute:Restores\", \"volute:Checkpoints\"]");

    private static final Map<String, String> AWS =
            Map.of(
                    "AdministratorAccess",
                    EVERYTHING,
                    "AmazonS3FullAccess",
                    "\"s3:*\"",
                    "AmazonS3ReadOnlyAccess",
                    "[\"s3:Get*\", \"s3:List*\"]",
                    "IAMFullAccess",
                    "\"iam:*\"",
                    "IAMReadOnlyAccess",
                    "[\"iam:Get*\", \"iam:List*\"]");

    private static final SortedMap<String, ManagedPolicy> ALL = new TreeMap<>();

    static {
        ON_BUCKETS.forEach(BuiltInPolicies::addOfVolute);
        ON_SERVER.forEach(BuiltInPolicies::addOfVolute);
        AWS.forEach((name, actions) -> add(OF_AWS + name, OLDER, actions, IdentityDetails.NONE));
    }

    private BuiltInPolicies() {}

    private static void addOfVolute(String name, String actions) {
        add(name, NEWER, actions, OF_VOLUTE);
    }

    private static void add(String name, Instant created, String actions, IdentityDetails details) {
        String document = document(actions, EVERYTHING);
        ALL.put(name, new ManagedPolicy(name, created, created, 1, document, details));
    }

    private static String document(String actions, String resources) {
        return "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": "
                + actions
                + ", \"Resource\": "
                + resources
                + "}]}";
    }

    static Optional<ManagedPolicy> find(String name) {
        return Optional.ofNullable(ALL.get(name));
    }

    static Collection<ManagedPolicy> all() {
        return ALL.values();
    }

    /** Returns those whose name no stored policy has. */
    static List<ManagedPolicy> in(IdentityTable stored) {
        return ALL.values().stream()
                .filter(each -> stored.policy(each.name()).equals(Optional.of(each)))
                .toList();
    }

    /** Returns the ARN of one of these policies. */
    static String arn(ManagedPolicy policy) {
        return policy.name().startsWith(OF_AWS)
                ? policy.name()
                : OF_AWS + policy.details().path().substring(1) + policy.name();
    }

    /**
     * Returns the document of a policy for one bucket and its keys.
     *
     * @param bucket a valid name
     * @return empty for a policy that is not about buckets
     */
    static Optional<String> limited(ManagedPolicy policy, String bucket) {
        String arn = "\"arn:aws:s3:::" + bucket;
        return Optional.ofNullable(ON_BUCKETS.get(policy.name()))
                .filter(actions -> policy.isBuiltIn())
                .map(actions -> document(actions, "[" + arn + "\", " + arn + "/*\"]"));
    }
}
