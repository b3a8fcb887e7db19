package io.volute.server.identity;

import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The managed policies that AWS has in every account and that this server has, too, reduced to its
 * services. Their name is their ARN, which no stored policy can have. They cannot be changed.
 */
final class AwsPolicies {
    private static final String PREFIX = "arn:aws:iam::aws:policy/";

    /** Creation of these policies at AWS (AWS Managed Policy Reference Guide). */
    private static final Instant CREATED = Instant.parse("2015-02-06T18:40:00Z");

    private static final SortedMap<String, ManagedPolicy> ALL = new TreeMap<>();

    static {
        Map.of(
                        "AdministratorAccess",
                        "\"*\"",
                        "AmazonS3FullAccess",
                        "\"s3:*\"",
                        "AmazonS3ReadOnlyAccess",
                        "[\"s3:Get*\", \"s3:List*\"]",
                        "IAMFullAccess",
                        "\"iam:*\"",
                        "IAMReadOnlyAccess",
                        "[\"iam:Get*\", \"iam:List*\"]")
                .forEach(AwsPolicies::add);
    }

    private AwsPolicies() {}

    private static void add(String name, String actions) {
        String document =
                "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": "
                        + actions
                        + ", \"Resource\": \"*\"}]}";
        ALL.put(
                PREFIX + name,
                new ManagedPolicy(
                        PREFIX + name, CREATED, CREATED, 1, document, IdentityDetails.NONE));
    }

    static Optional<ManagedPolicy> find(String name) {
        return Optional.ofNullable(ALL.get(name));
    }

    static Collection<ManagedPolicy> all() {
        return ALL.values();
    }
}
