package io.volute.server.auth.policy;

import io.volute.server.auth.policy.ApplicablePolicies.Standing;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The decision once more, slow and simple: from the documents themselves, word by word of the
 * manual, with nothing of the engine's. It knows the forms that {@link PolicyCases} makes.
 */
final class ReferenceDecision {
    private final Principal who;
    private final String action;
    private final String resource;
    private final Map<String, List<String>> keys;

    ReferenceDecision(
            Principal who, String action, String resource, Map<String, List<String>> keys) {
        this.who = who;
        this.action = action;
        this.resource = resource;
        this.keys = keys;
    }

    boolean allowed(
            Standing standing,
            List<Map<String, Object>> identity,
            Optional<Map<String, Object>> boundary,
            Optional<Map<String, Object>> bucket,
            Optional<Map<String, Object>> session) {
        if (session.isPresent() && any("Deny", session.get())) {
            return false;
        }
        boolean inSession = session.isEmpty() || any("Allow", session.get());
        if (standing == Standing.ROOT) {
            return inSession;
        }
        if (boundary.isPresent() && any("Deny", boundary.get())) {
            return false;
        }
        boolean inBoundary = boundary.isEmpty() || any("Allow", boundary.get());
        boolean inBoth = inSession && inBoundary;
        boolean ofPolicy =
                List.of("s3:GetBucketPolicy", "s3:PutBucketPolicy", "s3:DeleteBucketPolicy")
                        .contains(action);
        for (Map<String, Object> each : identity) {
            if (any("Deny", each)) {
                return false;
            }
        }
        if (bucket.isPresent()
                && any("Deny", bucket.get())
                && !(standing == Standing.OWNER && ofPolicy)) {
            return false;
        }
        if (inBoth && standing == Standing.OWNER) {
            return true;
        }
        if (inBoth
                && standing == Standing.ACCOUNT
                && List.of(
                                "s3:ListAllMyBuckets",
                                "s3:CreateBucket",
                                "s3:PutBucketVersioning",
                                "s3:PutBucketObjectLockConfiguration")
                        .contains(action)) {
            return true;
        }
        for (Map<String, Object> each : identity) {
            if (inBoth && any("Allow", each)) {
                return true;
            }
        }
        if (bucket.isEmpty() || action.startsWith("volute:")) {
            return false;
        }
        boolean isLimited = who.kind() == Principal.Kind.USER ? !inSession : !inBoth;
        return isLimited ? sessionIsAllowed(bucket.get()) : any("Allow", bucket.get());
    }

    /** Returns whether the bucket allows it to the session of a role by its name. */
    private boolean sessionIsAllowed(Map<String, Object> bucket) {
        boolean variables = "2012-10-17".equals(bucket.get("Version"));
        for (Object each : list(bucket.get("Statement"))) {
            Map<?, ?> statement = (Map<?, ?>) each;
            boolean isNamed =
                    statement.get("Principal") instanceof Map<?, ?> map
                            && list(map.get("AWS")).contains(who.arn().orElse(""))
                            && who.kind() == Principal.Kind.ROLE;
            if (isNamed
                    && statement.get("Effect").equals("Allow")
                    && applies(statement, variables)) {
                return true;
            }
        }
        return false;
    }

    private boolean any(String effect, Map<String, Object> policy) {
        boolean variables = "2012-10-17".equals(policy.get("Version"));
        for (Object each : list(policy.get("Statement"))) {
            Map<?, ?> statement = (Map<?, ?>) each;
            if (statement.get("Effect").equals(effect) && applies(statement, variables)) {
                return true;
            }
        }
        return false;
    }

    private boolean applies(Map<?, ?> statement, boolean variables) {
        boolean allow = statement.get("Effect").equals("Allow");
        if (statement.containsKey("Principal") && !named(statement.get("Principal"), !allow)) {
            return false;
        }
        if (statement.containsKey("NotPrincipal") && named(statement.get("NotPrincipal"), allow)) {
            return false;
        }
        boolean actionFound = false;
        for (Object each : list(either("Action", statement))) {
            String pattern = substitute(String.valueOf(each), false, true).orElseThrow();
            actionFound |= like(lower(pattern), lower(action));
        }
        if (actionFound != statement.containsKey("Action")) {
            return false;
        }
        boolean resourceFound = false;
        boolean unknown = false;
        for (Object each : list(either("Resource", statement))) {
            Optional<String> pattern = substitute(String.valueOf(each), variables, true);
            unknown |= pattern.isEmpty();
            resourceFound |= pattern.isPresent() && like(pattern.get(), resource);
        }
        if (statement.containsKey("Resource") && !resourceFound) {
            return false;
        }
        if (statement.containsKey("NotResource") && (resourceFound || unknown && allow)) {
            return false;
        }
        if (statement.containsKey("Condition")) {
            for (Map.Entry<?, ?> operator : ((Map<?, ?>) statement.get("Condition")).entrySet()) {
                for (Map.Entry<?, ?> key : ((Map<?, ?>) operator.getValue()).entrySet()) {
                    if (!condition(
                            (String) operator.getKey(),
                            (String) key.getKey(),
                            list(key.getValue()),
                            variables,
                            allow)) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    private static Object either(String element, Map<?, ?> statement) {
        return statement.get(statement.containsKey(element) ? element : "Not" + element);
    }

    private boolean named(Object principal, boolean accountIsAll) {
        List<Object> names = list(principal instanceof Map<?, ?> map ? map.get("AWS") : principal);
        if (names.contains("*")) {
            return true;
        }
        String account = Principal.ACCOUNT;
        boolean whole =
                names.contains(account) || names.contains("arn:aws:iam::" + account + ":root");
        return switch (who.kind()) {
            case ANONYMOUS -> false;
            case ROOT -> whole;
            case USER ->
                    whole && accountIsAll
                            || names.contains("arn:aws:iam::" + account + ":user/" + who.name())
                            || names.contains("arn:aws:iam:::user/" + who.name());
            case ROLE ->
                    whole && accountIsAll
                            || names.contains("arn:aws:iam::" + account + ":role/" + who.name())
                            || names.contains(who.arn().orElseThrow());
            case FEDERATED, SERVICE -> throw new AssertionError("no case has one");
        };
    }

    private boolean condition(
            String name, String key, List<Object> wanted, boolean variables, boolean allow) {
        List<String> values = keys.getOrDefault(lower(key), List.of());
        if (name.equals("Null")) {
            return wanted.contains(values.isEmpty() ? "true" : "false");
        }
        String bare = name.substring(name.indexOf(':') + 1);
        boolean ifExists = bare.endsWith("IfExists");
        String operator = ifExists ? bare.substring(0, bare.length() - 8) : bare;
        boolean not = operator.contains("Not");
        if (values.isEmpty()) {
            return ifExists || name.startsWith("ForAllValues:") || !name.contains(":") && not;
        }
        List<String> resolved = new ArrayList<>();
        for (Object each : wanted) {
            boolean texts = operator.startsWith("String") || operator.startsWith("Arn");
            boolean wild = operator.endsWith("Like") || operator.startsWith("Arn");
            Optional<String> text = substitute(String.valueOf(each), texts && variables, wild);
            if (text.isPresent()) {
                resolved.add(text.get());
            } else if (not && allow) {
                return false;
            }
        }
        int holding = 0;
        for (String value : values) {
            boolean found = false;
            for (String each : resolved) {
                found |= compares(operator.replace("Not", ""), each, value);
            }
            holding += found != not ? 1 : 0;
        }
        if (name.startsWith("ForAllValues:") || not && !name.contains(":")) {
            return holding == values.size();
        }
        return holding > 0;
    }

    private static boolean compares(String operator, String wanted, String value) {
        if (operator.startsWith("Numeric") || operator.startsWith("Date")) {
            Optional<BigDecimal> number = number(operator, value);
            if (number.isEmpty()) {
                return false;
            }
            int sign = number.get().compareTo(number(operator, wanted).orElseThrow());
            return switch (operator.replace("Numeric", "").replace("Date", "")) {
                case "Equals" -> sign == 0;
                case "LessThan" -> sign < 0;
                case "LessThanEquals" -> sign <= 0;
                case "GreaterThan" -> sign > 0;
                case "GreaterThanEquals" -> sign >= 0;
                default -> throw new AssertionError(operator);
            };
        }
        return switch (operator) {
            case "StringEquals" -> wanted.equals(value);
            case "StringEqualsIgnoreCase" -> wanted.equalsIgnoreCase(value);
            case "StringLike" -> like(wanted, value);
            case "Bool" -> wanted.equalsIgnoreCase(value);
            case "ArnEquals", "ArnLike" -> arnLike(wanted, value);
            case "IpAddress" -> inRange(wanted, value);
            default -> throw new AssertionError(operator);
        };
    }

    private static boolean arnLike(String wanted, String value) {
        String[] pattern = wanted.split(":", 6);
        String[] fields = value.split(":", 6);
        boolean same = pattern.length == 6 && fields.length == 6;
        for (int i = 0; same && i < 6; i++) {
            same = like(pattern[i], fields[i]);
        }
        return same;
    }

    /** Cases have addresses of version 4. */
    private static boolean inRange(String range, String address) {
        int bits = range.contains("/") ? Integer.parseInt(range.split("/")[1]) : 32;
        return bits(range.split("/")[0])
                .substring(0, bits)
                .equals(bits(address).substring(0, bits));
    }

    private static String bits(String address) {
        StringBuilder bits = new StringBuilder();
        for (String each : address.split("\\.")) {
            bits.append(Integer.toBinaryString(256 + Integer.parseInt(each)).substring(1));
        }
        return bits.toString();
    }

    private static Optional<BigDecimal> number(String operator, String text) {
        try {
            return Optional.of(
                    operator.startsWith("Date") && text.contains("-")
                            ? new BigDecimal(Instant.parse(text).getEpochSecond())
                            : new BigDecimal(text));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Wildcards become private characters, so that those of values stay characters. */
    private Optional<String> substitute(String text, boolean variables, boolean wild) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (variables && text.startsWith("${", i)) {
                int end = text.indexOf('}', i);
                String inside = text.substring(i + 2, end);
                i = end;
                if (List.of("*", "?", "$").contains(inside)) {
                    out.append(inside);
                    continue;
                }
                String[] parts = inside.split(",");
                List<String> values = keys.getOrDefault(lower(parts[0].strip()), List.of());
                if (values.size() > 1 || values.isEmpty() && parts.length == 1) {
                    return Optional.empty();
                }
                out.append(values.isEmpty() ? parts[1].strip().replace("'", "") : values.get(0));
            } else {
                out.append(wild && c == '*' ? '\uE000' : wild && c == '?' ? '\uE001' : c);
            }
        }
        return Optional.of(out.toString());
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    /** Matches by trying all possibilities. */
    private static boolean like(String pattern, String text) {
        if (pattern.isEmpty()) {
            return text.isEmpty();
        }
        char c = pattern.charAt(0);
        if (c == '\uE000') {
            return like(pattern.substring(1), text)
                    || !text.isEmpty() && like(pattern, text.substring(1));
        }
        return !text.isEmpty()
                && (c == '\uE001' || c == text.charAt(0))
                && like(pattern.substring(1), text.substring(1));
    }

    private static List<Object> list(Object value) {
        return value instanceof List<?> list ? new ArrayList<>(list) : List.of(value);
    }
}
