package io.volute.server.auth.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * One key of a condition with the values that it is compared with (IAM User Guide, "Condition
 * operators" and "Multivalued context keys").
 *
 * @param key in the form that {@link ConditionKeys} takes
 * @param written the values as they stand in the policy
 */
record Condition(
        Operator operator,
        Quantifier quantifier,
        boolean ifExists,
        String key,
        List<String> written,
        List<Comparison.Test> tests) {
    private static final String IF_EXISTS = "IfExists";

    /** Heap bytes of the object, or of one of its texts, rounded up. */
    private static final int HEAP_BYTES = 64;

    /** The number of values of the request for which the condition must hold. */
    enum Quantifier {
        /** The key has one value; of several, one is enough. */
        SINGLE(""),
        ALL("ForAllValues:"),
        ANY("ForAnyValue:");

        private final String prefix;

        Quantifier(String prefix) {
            this.prefix = prefix;
        }
    }

    /** The result of a condition for one request. */
    enum Outcome {
        HOLDS,
        FAILS,
        /** The condition holds only because a variable has no value. */
        HOLDS_UNRESOLVED
    }

    /**
     * @param name of the operator as it is written, with what stands around it
     */
    static Condition of(String name, String key, List<String> values, boolean variables) {
        Quantifier quantifier =
                name.startsWith(Quantifier.ALL.prefix)
                        ? Quantifier.ALL
                        : name.startsWith(Quantifier.ANY.prefix)
                                ? Quantifier.ANY
                                : Quantifier.SINGLE;
        String bare = name.substring(quantifier.prefix.length());
        boolean ifExists = bare.endsWith(IF_EXISTS);
        String plain = ifExists ? bare.substring(0, bare.length() - IF_EXISTS.length()) : bare;
        Operator operator =
                Operator.of(plain)
                        .filter(found -> found != Operator.NULL || plain.equals(name))
                        .orElseThrow(
                                () ->
                                        new MalformedPolicyException(
                                                "unknown condition operator \"" + name + "\""));
        if (key.isBlank()) {
            throw new MalformedPolicyException("a condition of " + name + " has an empty key");
        }
        if (values.isEmpty()) {
            throw new MalformedPolicyException(
                    "the condition " + name + " of " + key + " has no value");
        }
        List<Comparison.Test> tests =
                values.stream().map(value -> operator.comparison().test(value, variables)).toList();
        return new Condition(operator, quantifier, ifExists, Template.keyOf(key), values, tests);
    }

    /** Returns whether the outcome can change with the value of a matching key. */
    boolean dependsOn(Predicate<String> keys) {
        return keys.test(key) || tests.stream().anyMatch(test -> test.dependsOn(keys));
    }

    /** Heap bytes that it needs, about. */
    int heapBytes() {
        int bytes = HEAP_BYTES + 2 * key.length();
        for (int i = 0; i < tests.size(); i++) {
            bytes += HEAP_BYTES + 2 * written.get(i).length() + tests.get(i).heapBytes();
        }
        return bytes;
    }

    Outcome judge(ConditionKeys keys, MatchingBudget budget) {
        budget.spend(tests.size());
        List<String> values = keys.values(key);
        if (operator == Operator.NULL) {
            String absent = Boolean.toString(values.isEmpty());
            return holds(
                    tests.stream()
                            .anyMatch(t -> t.resolve(keys, budget).orElseThrow().test(absent)));
        }
        if (values.isEmpty()) {
            return holds(
                    ifExists
                            || switch (quantifier) {
                                case SINGLE -> operator.negated();
                                case ALL -> true;
                                case ANY -> false;
                            });
        }
        List<Predicate<String>> resolved = new ArrayList<>();
        for (Comparison.Test test : tests) {
            Optional<Predicate<String>> found = test.resolve(keys, budget);
            found.ifPresent(resolved::add);
        }
        Predicate<String> compares = value -> resolved.stream().anyMatch(t -> t.test(value));
        boolean holds =
                switch (quantifier) {
                    case SINGLE -> operator.negated() != values.stream().anyMatch(compares);
                    case ALL ->
                            values.stream().allMatch(v -> operator.negated() != compares.test(v));
                    case ANY ->
                            values.stream().anyMatch(v -> operator.negated() != compares.test(v));
                };
        boolean unsure = operator.negated() && resolved.size() < tests.size();
        return holds && unsure ? Outcome.HOLDS_UNRESOLVED : holds(holds);
    }

    private static Outcome holds(boolean answer) {
        return answer ? Outcome.HOLDS : Outcome.FAILS;
    }
}
