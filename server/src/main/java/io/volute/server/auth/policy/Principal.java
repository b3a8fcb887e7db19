package io.volute.server.auth.policy;

import io.volute.server.credentials.Credential;
import java.util.Optional;

/**
 * A caller under the name that policies use. There is one account; its number is fixed.
 *
 * @param kind decides how the name is written
 * @param name the name of the user, role or provider; empty for the root and for anonymous callers
 * @param session the name of a role's session; empty for others
 * @param path stands before the name in the ARN of a user or role
 */
public record Principal(Kind kind, String name, String session, String path) {
    /** The account of everybody. Policies may leave it out. */
    public static final String ACCOUNT = "000000000000";

    /** The service principal that delivers server access logs (S3 User Guide). */
    public static final Principal LOG_DELIVERY =
            new Principal(Kind.SERVICE, "logging.s3.amazonaws.com", "", "/");

    /** The kind of a caller. */
    public enum Kind {
        ROOT("Account"),
        USER("User"),
        ROLE("AssumedRole"),
        /** Somebody whom a provider has authenticated, before they have a session of a role. */
        FEDERATED("FederatedUser"),
        ANONYMOUS("Anonymous"),
        /** The server itself, on behalf of a configuration. */
        SERVICE("Service");

        private final String policyName;

        Kind(String policyName) {
            this.policyName = policyName;
        }

        /** The value of {@code aws:PrincipalType}. */
        public String policyName() {
            return policyName;
        }
    }

    public static Principal of(Credential who) {
        Kind kind =
                switch (who.kind()) {
                    case ROOT -> Kind.ROOT;
                    case ACCOUNT, USER -> Kind.USER;
                    case ROLE -> Kind.ROLE;
                    case ANONYMOUS -> Kind.ANONYMOUS;
                };
        String session = who.session().map(Credential.Session::name).orElse("");
        return new Principal(kind, who.principal(), kind == Kind.ROLE ? session : "", who.path());
    }

    /** Returns a caller whom a provider has authenticated. */
    public static Principal ofProvider(String provider) {
        return new Principal(Kind.FEDERATED, provider, "", "/");
    }

    /** The ARN of a user. */
    public static String userArn(String path, String name) {
        return arn("user", path, name);
    }

    /** The ARN of a role. */
    public static String roleArn(String path, String name) {
        return arn("role", path, name);
    }

    /** The ARN of an OpenID Connect provider. */
    public static String providerArn(String name) {
        return arn("oidc-provider", "/", name);
    }

    /**
     * Returns the ARN of an identity.
     *
     * @param kind {@code user}, {@code group}, {@code role} or {@code policy}
     * @param path begins and ends with a slash
     */
    public static String arn(String kind, String path, String name) {
        return "arn:aws:iam::" + ACCOUNT + ":" + kind + path + name;
    }

    /** Returns the ARN; empty for a request without a signature. */
    public Optional<String> arn() {
        return switch (kind) {
            case ROOT -> Optional.of("arn:aws:iam::" + ACCOUNT + ":root");
            case USER -> Optional.of(userArn(path, name));
            case ROLE ->
                    Optional.of(
                            "arn:aws:sts::" + ACCOUNT + ":assumed-role/" + name + "/" + session);
            case FEDERATED -> Optional.of(providerArn(name));
            case ANONYMOUS, SERVICE -> Optional.empty();
        };
    }
}
