package io.volute.server.auth.policy;

import java.util.Set;

/**
 * Which statements S3 calls public (S3 User Guide, "Blocking public access", "The meaning of
 * public"): those that allow everyone, unless a condition names fixed values of a key that tells
 * people or places apart.
 */
final class Publicity {
    private static final Set<String> FIXING_KEYS =
            Set.of(
                    "aws:principalarn",
                    "aws:principalaccount",
                    "aws:sourcearn",
                    "aws:sourceaccount",
                    "aws:sourcevpc",
                    "aws:sourcevpce",
                    "aws:userid",
                    "aws:username");

    private static final Set<Operator> FIXING_OPERATORS =
            Set.of(
                    Operator.STRING_EQUALS,
                    Operator.STRING_EQUALS_IGNORE_CASE,
                    Operator.STRING_LIKE,
                    Operator.ARN_EQUALS,
                    Operator.ARN_LIKE);

    /** S3 calls wider ranges of addresses public, too. */
    private static final int V4_PREFIX_LEAST = 8;

    private static final int V6_PREFIX_LEAST = 32;

    private Publicity() {}

    static boolean isPublic(Statement statement) {
        return statement.effect() == Effect.ALLOW
                && statement.principals().filter(Principals::everyone).isPresent()
                && statement.conditions().stream().noneMatch(Publicity::isFixed);
    }

    private static boolean isFixed(Condition condition) {
        if (condition.ifExists() || condition.quantifier() == Condition.Quantifier.ALL) {
            return false;
        }
        if (condition.operator() == Operator.IP_ADDRESS) {
            return condition.key().equals("aws:sourceip")
                    && condition.written().stream().allMatch(Publicity::isNarrow);
        }
        return FIXING_OPERATORS.contains(condition.operator())
                && FIXING_KEYS.contains(condition.key())
                && condition.written().stream().noneMatch(Publicity::isOpen);
    }

    private static boolean isNarrow(String text) {
        AddressRange range = AddressRange.of(text);
        return range.prefix() >= (range.address().length == 4 ? V4_PREFIX_LEAST : V6_PREFIX_LEAST);
    }

    private static boolean isOpen(String value) {
        return value.indexOf('*') >= 0 || value.indexOf('?') >= 0 || value.contains("${");
    }
}
