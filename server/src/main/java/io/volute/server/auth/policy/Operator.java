package io.volute.server.auth.policy;

import java.util.Arrays;
import java.util.Optional;

/** The comparisons of conditions (IAM User Guide, "Condition operators"). */
enum Operator {
    STRING_EQUALS("StringEquals", Comparison.STRING, false),
    STRING_NOT_EQUALS("StringNotEquals", Comparison.STRING, true),
    STRING_EQUALS_IGNORE_CASE("StringEqualsIgnoreCase", Comparison.STRING_IGNORING_CASE, false),
    STRING_NOT_EQUALS_IGNORE_CASE(
            "StringNotEqualsIgnoreCase", Comparison.STRING_IGNORING_CASE, true),
    STRING_LIKE("StringLike", Comparison.LIKE, false),
    STRING_NOT_LIKE("StringNotLike", Comparison.LIKE, true),
    NUMERIC_EQUALS("NumericEquals", Comparison.NUMBER_SAME, false),
    NUMERIC_NOT_EQUALS("NumericNotEquals", Comparison.NUMBER_SAME, true),
    NUMERIC_LESS_THAN("NumericLessThan", Comparison.NUMBER_LESS, false),
    NUMERIC_LESS_THAN_EQUALS("NumericLessThanEquals", Comparison.NUMBER_AT_MOST, false),
    NUMERIC_GREATER_THAN("NumericGreaterThan", Comparison.NUMBER_MORE, false),
    NUMERIC_GREATER_THAN_EQUALS("NumericGreaterThanEquals", Comparison.NUMBER_AT_LEAST, false),
    DATE_EQUALS("DateEquals", Comparison.DATE_SAME, false),
    DATE_NOT_EQUALS("DateNotEquals", Comparison.DATE_SAME, true),
    DATE_LESS_THAN("DateLessThan", Comparison.DATE_LESS, false),
    DATE_LESS_THAN_EQUALS("DateLessThanEquals", Comparison.DATE_AT_MOST, false),
    DATE_GREATER_THAN("DateGreaterThan", Comparison.DATE_MORE, false),
    DATE_GREATER_THAN_EQUALS("DateGreaterThanEquals", Comparison.DATE_AT_LEAST, false),
    BOOL("Bool", Comparison.BOOL, false),
    IP_ADDRESS("IpAddress", Comparison.ADDRESS, false),
    NOT_IP_ADDRESS("NotIpAddress", Comparison.ADDRESS, true),
    ARN_EQUALS("ArnEquals", Comparison.ARN, false),
    ARN_NOT_EQUALS("ArnNotEquals", Comparison.ARN, true),
    ARN_LIKE("ArnLike", Comparison.ARN, false),
    ARN_NOT_LIKE("ArnNotLike", Comparison.ARN, true),
    NULL("Null", Comparison.BOOL, false);

    private final String policyName;
    private final Comparison comparison;
    private final boolean negated;

    Operator(String policyName, Comparison comparison, boolean negated) {
        this.policyName = policyName;
        this.comparison = comparison;
        this.negated = negated;
    }

    Comparison comparison() {
        return comparison;
    }

    /** Holds when no value of the policy compares, and when the request has not got the key. */
    boolean negated() {
        return negated;
    }

    static Optional<Operator> of(String name) {
        return Arrays.stream(values()).filter(each -> each.policyName.equals(name)).findFirst();
    }
}
