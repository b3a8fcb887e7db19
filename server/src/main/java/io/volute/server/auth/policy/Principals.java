package io.volute.server.auth.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The callers that a statement covers.
 *
 * @param except all but these
 * @param everyone those without signature too
 * @param arns of users, roles, sessions and providers, each with its account, and services
 * @param account the account as a whole: its root when it is allowed something, all who sign when
 *     they are denied something
 * @param canonical ids of owners as S3's answers show them
 */
record Principals(
        boolean except,
        boolean everyone,
        List<String> arns,
        boolean account,
        List<String> canonical) {
    private static final Pattern ARN =
            Pattern.compile(
                    "arn:aws:iam::[^:]*:(root|(user|role)/.+)"
                            + "|arn:aws:sts::[^:]*:assumed-role/[^/]+/.+");

    private static final Pattern PROVIDER =
            Pattern.compile("arn:aws:iam::[^:]*:oidc-provider/[^*?]+");

    /** Heap bytes of the object, or of one of its texts, rounded up. */
    private static final int HEAP_BYTES = 64;

    Principals {
        arns = List.copyOf(arns);
        canonical = List.copyOf(canonical);
    }

    /**
     * @param aws what stands under {@code AWS}
     * @param canonical what stands under {@code CanonicalUser}
     * @param federated what stands under {@code Federated}
     * @param services what stands under {@code Service}
     */
    static Principals of(
            boolean except,
            List<String> aws,
            List<String> canonical,
            List<String> federated,
            List<String> services) {
        boolean everyone = aws.contains("*");
        List<String> named = aws.stream().filter(text -> !text.equals("*")).toList();
        boolean account = false;
        List<String> arns = new ArrayList<>();
        for (String text : named) {
            String arn = text.matches("[0-9]{12}") ? "arn:aws:iam::" + text + ":root" : text;
            if (!ARN.matcher(arn).matches() || arn.indexOf('*') >= 0 || arn.indexOf('?') >= 0) {
                throw new MalformedPolicyException(
                        "Invalid principal in policy: \""
                                + text
                                + "\" is neither * nor the ARN of a user, role or account, such as "
                                + Principal.userArn("/", "alice"));
            }
            String whole = withAccount(arn);
            if (whole.equals("arn:aws:iam::" + Principal.ACCOUNT + ":root")) {
                account = true;
            } else {
                arns.add(whole);
            }
        }
        for (String provider : federated) {
            if (!PROVIDER.matcher(provider).matches()) {
                throw new MalformedPolicyException(
                        "Invalid principal in policy: \""
                                + provider
                                + "\" is not the ARN of a provider, such as "
                                + Principal.providerArn("login.example.com"));
            }
            arns.add(withAccount(provider));
        }
        for (String service : services) {
            if (!service.equals(Principal.LOG_DELIVERY.name())) {
                throw new MalformedPolicyException(
                        "Invalid principal in policy: \""
                                + service
                                + "\" is not a service of this server, which has "
                                + Principal.LOG_DELIVERY.name());
            }
            arns.add(service);
        }
        return new Principals(except, everyone, arns, account, canonical);
    }

    private static String withAccount(String arn) {
        return arn.replaceFirst("^(arn:aws:(iam|sts)::):", "$1" + Principal.ACCOUNT + ":");
    }

    /** Heap bytes that it needs, about. */
    int heapBytes() {
        int bytes = HEAP_BYTES;
        for (List<String> names : List.of(arns, canonical)) {
            for (String name : names) {
                bytes += HEAP_BYTES + 2 * name.length();
            }
        }
        return bytes;
    }

    boolean matches(Principal who, Effect effect) {
        return except != isNamed(who, effect);
    }

    /** Returns whether they name the session of a role by its own ARN. */
    boolean nameSession(Principal who) {
        return !except
                && who.kind() == Principal.Kind.ROLE
                && who.arn().filter(arns::contains).isPresent();
    }

    private boolean isNamed(Principal who, Effect effect) {
        // Everyone are those with a key of this server or without a signature. A provider's callers
        // are allowed by its name alone.
        if (everyone && (who.kind() != Principal.Kind.FEDERATED || effect == Effect.DENY)) {
            return true;
        }
        return switch (who.kind()) {
            case ANONYMOUS -> false;
            case FEDERATED -> who.arn().filter(arns::contains).isPresent();
            case SERVICE -> arns.contains(who.name());
            case ROOT -> account || canonical.contains(who.name());
            case USER, ROLE ->
                    who.arn().filter(arns::contains).isPresent()
                            || isNamed(who, effect == Effect.DENY && !except)
                            // Ids of owners: users have them, roles do not.
                            || who.kind() == Principal.Kind.USER && canonical.contains(who.name())
                            // Of "all but the account" its users are no part either.
                            || account && (effect == Effect.DENY) != except;
        };
    }

    /**
     * Returns whether an ARN names the user or the role itself. A path that is wrong or missing
     * does not weaken a denial, because names are unique in all paths; nothing is granted by it.
     */
    private boolean isNamed(Principal who, boolean inAnyPath) {
        String kind = who.kind() == Principal.Kind.USER ? "user" : "role";
        if (!inAnyPath) {
            return arns.contains(Principal.arn(kind, who.path(), who.name()));
        }
        String begin = Principal.arn(kind, "/", "");
        for (String arn : arns) {
            if (arn.startsWith(begin) && arn.endsWith("/" + who.name())) {
                return true;
            }
        }
        return false;
    }
}
