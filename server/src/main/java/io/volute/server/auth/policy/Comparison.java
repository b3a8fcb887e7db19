package io.volute.server.auth.policy;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/** The comparison of a value of a request with a value of a policy. */
enum Comparison {
    STRING(false),
    STRING_IGNORING_CASE(false),
    LIKE(true),
    ARN(true),
    NUMBER_SAME(sign -> sign == 0, Comparison::number),
    NUMBER_LESS(sign -> sign < 0, Comparison::number),
    NUMBER_AT_MOST(sign -> sign <= 0, Comparison::number),
    NUMBER_MORE(sign -> sign > 0, Comparison::number),
    NUMBER_AT_LEAST(sign -> sign >= 0, Comparison::number),
    DATE_SAME(sign -> sign == 0, Comparison::date),
    DATE_LESS(sign -> sign < 0, Comparison::date),
    DATE_AT_MOST(sign -> sign <= 0, Comparison::date),
    DATE_MORE(sign -> sign > 0, Comparison::date),
    DATE_AT_LEAST(sign -> sign >= 0, Comparison::date),
    BOOL(sign -> sign == 0, Comparison::truth),
    ADDRESS(false);

    /** Longer texts are no numbers that anybody means. */
    private static final int NUMBER_CHARS_MOST = 40;

    /** Heap bytes of a test of a number, time, truth value or range, rounded up. */
    private static final int HEAP_BYTES = 128;

    /** Fields of an ARN: arn, partition, service, region, account, resource. */
    private static final int ARN_FIELDS = 6;

    private final boolean wildcards;
    private final Optional<Ordered> ordered;

    /** A comparison by order: texts are read as something that has one. */
    private record Ordered(
            IntPredicate sign, Function<String, Optional<? extends Comparable<?>>> reading) {}

    Comparison(boolean wildcards) {
        this.wildcards = wildcards;
        this.ordered = Optional.empty();
    }

    Comparison(IntPredicate sign, Function<String, Optional<? extends Comparable<?>>> reading) {
        this.wildcards = false;
        this.ordered = Optional.of(new Ordered(sign, reading));
    }

    /** The test that one value of a policy makes on values of requests. */
    interface Test {
        /**
         * Returns the test of values; empty when a variable of the policy has no value. Each use of
         * the test spends steps of the budget.
         */
        Optional<Predicate<String>> resolve(ConditionKeys keys, MatchingBudget budget);

        /** Returns whether the value of the policy contains a variable whose key matches. */
        default boolean dependsOn(Predicate<String> keys) {
            return false;
        }

        /** Heap bytes that it needs, about. */
        default int heapBytes() {
            return HEAP_BYTES;
        }
    }

    /** A test of texts. */
    private record TextTest(Comparison comparison, Template template) implements Test {
        @Override
        public Optional<Predicate<String>> resolve(ConditionKeys keys, MatchingBudget budget) {
            return template.resolve(keys, budget).map(glob -> comparison.test(glob, budget));
        }

        @Override
        public boolean dependsOn(Predicate<String> keys) {
            return template.dependsOn(keys);
        }

        @Override
        public int heapBytes() {
            return HEAP_BYTES + template.heapBytes();
        }
    }

    /**
     * @throws MalformedPolicyException when it cannot be compared so
     */
    Test test(String value, boolean variables) {
        if (ordered.isPresent()) {
            Ordered how = ordered.get();
            Comparable<?> limit =
                    how.reading()
                            .apply(value)
                            .orElseThrow(() -> new MalformedPolicyException(unreadable(value)));
            Predicate<String> holds =
                    text ->
                            how.reading()
                                    .apply(text)
                                    .filter(read -> how.sign().test(compare(read, limit)))
                                    .isPresent();
            return (keys, budget) -> Optional.of(read(holds, budget));
        }
        if (this == ADDRESS) {
            AddressRange range = AddressRange.of(value);
            return (keys, budget) -> Optional.of(read(range::contains, budget));
        }
        return new TextTest(this, Template.of(value, wildcards, variables));
    }

    private static Predicate<String> read(Predicate<String> holds, MatchingBudget budget) {
        return text -> {
            budget.spendOn(text);
            budget.spend(MatchingBudget.READING);
            return holds.test(text);
        };
    }

    private Predicate<String> test(Glob glob, MatchingBudget budget) {
        return switch (this) {
            case STRING_IGNORING_CASE ->
                    text -> glob.matchesIgnoringCase(Glob.points(text, budget), budget);
            case ARN -> text -> matchesArn(glob, text, budget);
            default -> text -> glob.matches(Glob.points(text, budget), budget);
        };
    }

    private static boolean matchesArn(Glob glob, String text, MatchingBudget budget) {
        budget.spendOn(text);
        budget.spend(glob.length());
        List<Glob> wanted = glob.split(':', ARN_FIELDS);
        String[] fields = text.split(":", ARN_FIELDS);
        if (wanted.size() != ARN_FIELDS || fields.length != ARN_FIELDS) {
            return false;
        }
        for (int i = 0; i < ARN_FIELDS; i++) {
            if (!wanted.get(i).matches(Glob.points(fields[i], budget), budget)) {
                return false;
            }
        }
        return true;
    }

    private String unreadable(String value) {
        String kind = name().substring(0, Math.max(4, name().indexOf('_')));
        return "\""
                + value
                + "\" is no "
                + switch (kind) {
                    case "NUMBER" -> "number";
                    case "DATE" -> "time: write 2026-11-21T10:00:00Z or seconds since 1970";
                    default -> "truth: write true or false";
                };
    }

    /** Both were read by the same function, so they are of one type. */
    @SuppressWarnings("unchecked")
    private static <T> int compare(Comparable<T> read, Comparable<?> limit) {
        return read.compareTo((T) limit);
    }

    private static Optional<BigDecimal> number(String text) {
        if (!text.matches("-?[0-9]{1,20}(\\.[0-9]{1,18})?") || text.length() > NUMBER_CHARS_MOST) {
            return Optional.empty();
        }
        return Optional.of(new BigDecimal(text));
    }

    private static Optional<Instant> date(String text) {
        try {
            if (text.matches("[0-9]{1,12}")) {
                return Optional.of(Instant.ofEpochSecond(Long.parseLong(text)));
            }
            if (text.matches("[0-9]{4}-[0-9]{2}-[0-9]{2}")) {
                return Optional.of(LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant());
            }
            return Optional.of(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Optional<Boolean> truth(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> Optional.of(true);
            case "false" -> Optional.of(false);
            default -> Optional.empty();
        };
    }
}
