package io.volute.server.auth.policy;

import io.volute.server.auth.policy.ApplicablePolicies.Standing;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Random policies and requests of few words, so that they often meet. */
final class PolicyCases {
    private static final List<String> USERS = List.of("alice", "bob", "c*");
    private static final List<String> ACTIONS =
            List.of(
                    "s3:GetObject",
                    "s3:PutObject",
                    "s3:DeleteObject",
                    "s3:ListBucket",
                    "s3:PutBucketPolicy",
                    "s3:CreateBucket",
                    "s3:PutBucketVersioning",
                    "s3:NobodyKnowsThis",
                    "volute:ClaimReplica");
    private static final List<String> ACTION_PATTERNS =
            List.of("*", "s3:*", "s3:Get*", "s3:?etObject", "s3:getobject", "s3:*Bucket*");
    private static final List<String> RESOURCES =
            List.of(
                    "arn:aws:s3:::b",
                    "arn:aws:s3:::b/a",
                    "arn:aws:s3:::b/alice/x",
                    "arn:aws:s3:::b/bob/xy",
                    "arn:aws:s3:::b/c*/x",
                    "arn:aws:s3:::b/*");
    private static final List<String> RESOURCE_PATTERNS =
            List.of(
                    "arn:aws:s3:::b",
                    "arn:aws:s3:::b/*",
                    "arn:aws:s3:::b/?",
                    "arn:aws:s3:::b/${aws:username}/*",
                    "arn:aws:s3:::b/${aws:username, 'bob'}/x?",
                    "arn:aws:s3:::b/${*}",
                    "arn:aws:s3:::b*x*");
    private static final List<String> PRINCIPALS =
            List.of(
                    "*",
                    "arn:aws:iam::000000000000:user/alice",
                    "arn:aws:iam:::user/bob",
                    "arn:aws:iam::000000000000:root",
                    "000000000000",
                    "arn:aws:iam::123456789012:user/alice",
                    "arn:aws:iam::000000000000:role/jobs",
                    "arn:aws:sts::000000000000:assumed-role/jobs/run");

    private static final Map<String, List<String>> KEYS =
            Map.of(
                    "s3:prefix", List.of("home/", "home/alice", "Home/", "x*", ""),
                    "s3:max-keys", List.of("0", "10", "10.0", "1000", "many"),
                    "aws:currenttime",
                            List.of("2026-11-21T10:00:00Z", "1795255200", "2020-01-01T00:00:00Z"),
                    "aws:securetransport", List.of("true", "false"),
                    "aws:sourceip", List.of("10.0.0.1", "10.1.0.1", "192.0.2.1"),
                    "aws:principalarn", List.of("arn:aws:iam::000000000000:user/alice", "x"),
                    "s3:requestobjecttagkeys", List.of("a", "b", "c"));

    private static final Map<String, List<String>> OPERATORS =
            Map.of(
                    "s3:prefix",
                            List.of(
                                    "StringEquals",
                                    "StringNotEquals",
                                    "StringEqualsIgnoreCase",
                                    "StringNotEqualsIgnoreCase",
                                    "StringLike",
                                    "StringNotLike"),
                    "s3:max-keys",
                            List.of(
                                    "NumericEquals",
                                    "NumericNotEquals",
                                    "NumericLessThan",
                                    "NumericLessThanEquals",
                                    "NumericGreaterThan",
                                    "NumericGreaterThanEquals"),
                    "aws:currenttime",
                            List.of(
                                    "DateEquals",
                                    "DateNotEquals",
                                    "DateLessThan",
                                    "DateLessThanEquals",
                                    "DateGreaterThan",
                                    "DateGreaterThanEquals"),
                    "aws:securetransport", List.of("Bool"),
                    "aws:sourceip", List.of("IpAddress", "NotIpAddress"),
                    "aws:principalarn",
                            List.of("ArnEquals", "ArnNotEquals", "ArnLike", "ArnNotLike"),
                    "s3:requestobjecttagkeys", List.of("StringEquals", "StringNotLike"));

    private static final Map<String, List<String>> WANTED =
            Map.of(
                    "s3:prefix",
                            List.of("home/*", "home/${aws:username}", "HOME/", "x${*}", "?*", "x*"),
                    "s3:max-keys", List.of("10", "-1", "999.5"),
                    "aws:currenttime",
                            List.of("2026-11-21T10:00:00Z", "2026-11-21T11:00:00Z", "1600000000"),
                    "aws:securetransport", List.of("true", "False"),
                    "aws:sourceip", List.of("10.0.0.0/8", "10.0.0.1", "10.1.0.0/15", "0.0.0.0/0"),
                    "aws:principalarn",
                            List.of(
                                    "arn:aws:iam::*:user/*",
                                    "arn:aws:iam::000000000000:user/${aws:username}",
                                    "arn:*:user/alice"),
                    "s3:requestobjecttagkeys", List.of("a", "b", "c*"));

    private final Random random;

    PolicyCases(long seed) {
        this.random = new Random(seed);
    }

    /** A generated request with the policies for its decision. */
    record Case(
            Principal who,
            String action,
            String resource,
            Map<String, List<String>> keys,
            Standing standing,
            List<Map<String, Object>> identity,
            Optional<Map<String, Object>> boundary,
            Optional<Map<String, Object>> bucket,
            Optional<Map<String, Object>> session) {}

    Case next() {
        Principal who =
                switch (random.nextInt(7)) {
                    case 0 -> new Principal(Principal.Kind.ANONYMOUS, "", "", "/");
                    case 1 -> new Principal(Principal.Kind.ROOT, "root", "", "/");
                    case 2, 3 -> new Principal(Principal.Kind.ROLE, "jobs", "run", "/");
                    default -> new Principal(Principal.Kind.USER, one(USERS), "", "/");
                };
        Map<String, List<String>> keys = new LinkedHashMap<>();
        if (who.kind() == Principal.Kind.USER) {
            keys.put("aws:username", List.of(who.name()));
        }
        KEYS.forEach(
                (key, values) -> {
                    if (random.nextInt(3) > 0) {
                        keys.put(
                                key,
                                key.endsWith("keys") && !key.contains("max")
                                        ? some(values)
                                        : List.of(one(values)));
                    }
                });
        List<Map<String, Object>> identity = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            identity.add(policy(false));
        }
        return new Case(
                who,
                one(ACTIONS),
                one(RESOURCES),
                keys,
                Standing.values()[random.nextInt(Standing.values().length)],
                identity,
                random.nextInt(4) == 0 ? Optional.of(policy(false)) : Optional.empty(),
                random.nextBoolean() ? Optional.of(policy(true)) : Optional.empty(),
                random.nextInt(4) == 0 ? Optional.of(policy(false)) : Optional.empty());
    }

    /** A statement that denies something. */
    Map<String, Object> deny(boolean ofBucket) {
        Map<String, Object> statement = new LinkedHashMap<>(statement(ofBucket));
        statement.put("Effect", "Deny");
        return statement;
    }

    private Map<String, Object> policy(boolean ofBucket) {
        List<Object> statements = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            statements.add(statement(ofBucket));
        }
        return Map.of(
                "Version",
                random.nextInt(8) == 0 ? "2008-10-17" : "2012-10-17",
                "Statement",
                statements.size() == 1 ? statements.getFirst() : statements);
    }

    private Map<String, Object> statement(boolean ofBucket) {
        Map<String, Object> statement = new LinkedHashMap<>();
        boolean denies = random.nextInt(3) == 0;
        statement.put("Effect", denies ? "Deny" : "Allow");
        if (ofBucket) {
            Object names = random.nextInt(3) == 0 ? "*" : Map.of("AWS", some(PRINCIPALS));
            boolean others = denies && random.nextInt(3) == 0;
            statement.put(others ? "NotPrincipal" : "Principal", names);
        }
        statement.put(random.nextInt(5) == 0 ? "NotAction" : "Action", some(ACTION_PATTERNS));
        statement.put(random.nextInt(5) == 0 ? "NotResource" : "Resource", some(RESOURCE_PATTERNS));
        if (random.nextBoolean()) {
            Map<String, Object> condition = new LinkedHashMap<>();
            for (int i = random.nextInt(2); i >= 0; i--) {
                addCondition(condition);
            }
            statement.put("Condition", condition);
        }
        return statement;
    }

    private void addCondition(Map<String, Object> condition) {
        String key = one(new ArrayList<>(KEYS.keySet()));
        String written = random.nextBoolean() ? key : key.toUpperCase(Locale.ROOT);
        if (random.nextInt(6) == 0) {
            condition.put("Null", Map.of(written, one(List.of("true", "false"))));
            return;
        }
        String operator = one(OPERATORS.get(key));
        String quantifier = one(List.of("", "", "ForAllValues:", "ForAnyValue:"));
        String ifExists = random.nextInt(4) == 0 ? "IfExists" : "";
        condition.put(quantifier + operator + ifExists, Map.of(written, some(WANTED.get(key))));
    }

    private <T> T one(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    /** Returns one or two random elements. */
    private <T> List<T> some(List<T> from) {
        return random.nextBoolean() ? List.of(one(from)) : List.of(one(from), one(from));
    }
}
