package io.volute.server.auth.policy;

import io.volute.server.credentials.Credential;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the statements that S3 calls public (S3 User Guide, "Blocking public access", "The meaning
 * of public"). A statement is public when it allows everyone, unless a condition fixes the values
 * of a key that identifies people or places. Ranges of addresses count together, over all
 * statements.
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

    /** S3 calls more addresses public, too: these are the lengths of the prefixes. */
    private static final int V4_PREFIX_LEAST = 8;

    private static final int V6_PREFIX_LEAST = 32;

    /** The known facts about any request without a signature. */
    private static final ConditionKeys ANONYMOUS =
            key ->
                    switch (key) {
                        case "aws:userid" -> List.of(Credential.ANONYMOUS.principal());
                        case "aws:principaltype" -> List.of(Principal.Kind.ANONYMOUS.policyName());
                        default -> List.of();
                    };

    private Publicity() {}

    /**
     * Whether some of the statements are public: each by itself, or by the addresses that they
     * allow together.
     */
    static boolean isPublic(List<Statement> statements) {
        List<AddressRange> addresses = new ArrayList<>();
        for (Statement statement : statements) {
            boolean isForEveryone =
                    statement.effect() == Effect.ALLOW
                            && statement.principals().filter(Principals::everyone).isPresent()
                            && statement.conditions().stream().noneMatch(Publicity::isFixed);
            if (isForEveryone) {
                Optional<List<AddressRange>> own =
                        statement.conditions().stream()
                                .filter(Publicity::namesAddresses)
                                .map(Publicity::ranges)
                                .filter(ranges -> !areMany(ranges))
                                .findFirst();
                if (own.isEmpty()) {
                    return true;
                }
                addresses.addAll(own.get());
            }
        }
        return areMany(addresses);
    }

    /**
     * Returns whether the condition names people or places that exclude an anonymous caller. A
     * condition that holds for an anonymous caller may hold for everyone: {@code aws:userid} of
     * such a caller has a value, too.
     */
    private static boolean isFixed(Condition condition) {
        return isStrict(condition)
                && FIXING_OPERATORS.contains(condition.operator())
                && FIXING_KEYS.contains(condition.key())
                && condition.written().stream().noneMatch(Publicity::isOpen)
                && condition.judge(ANONYMOUS, new MatchingBudget()) == Condition.Outcome.FAILS;
    }

    private static boolean namesAddresses(Condition condition) {
        return isStrict(condition)
                && condition.operator() == Operator.IP_ADDRESS
                && condition.key().equals("aws:sourceip");
    }

    /** Returns whether the condition fails for a request that lacks the key. */
    private static boolean isStrict(Condition condition) {
        return !condition.ifExists() && condition.quantifier() != Condition.Quantifier.ALL;
    }

    private static List<AddressRange> ranges(Condition condition) {
        return condition.written().stream().map(AddressRange::of).toList();
    }

    /**
     * Returns whether ranges together have more addresses than one range of the shortest fixed
     * prefix.
     */
    private static boolean areMany(List<AddressRange> ranges) {
        return AddressRange.areMore(ranges, Integer.SIZE, V4_PREFIX_LEAST)
                || AddressRange.areMore(ranges, 4 * Integer.SIZE, V6_PREFIX_LEAST);
    }

    private static boolean isOpen(String value) {
        return value.indexOf('*') >= 0 || value.indexOf('?') >= 0 || value.contains("${");
    }
}
