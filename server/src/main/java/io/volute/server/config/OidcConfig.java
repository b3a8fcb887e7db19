package io.volute.server.config;

import io.volute.server.auth.policy.Principal;
import io.volute.server.config.key.ValueType;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The OpenID Connect provider whose tokens STS accepts.
 *
 * @param issuer exactly as tokens name it
 * @param audiences client ids for which tokens are accepted; at least one
 * @param authorities PEM file of the certificates that TLS trusts; empty: those of Java
 * @param plainOnLoopback whether {@code http} is allowed for loopback addresses
 */
public record OidcConfig(
        String issuer,
        List<String> audiences,
        Optional<Path> authorities,
        boolean plainOnLoopback) {
    /** Scheme, host, perhaps a port, perhaps a path. */
    private static final String FORM =
            "https?://(?:[a-z0-9][a-z0-9.-]{0,252}|\\[[0-9a-f:.]{2,45}\\])(?::[0-9]{1,5})?"
                    + "(?:/[A-Za-z0-9._~/-]{0,1024})?";

    public OidcConfig {
        audiences = List.copyOf(audiences);
    }

    /** The address of a provider, or nothing. */
    static ValueType<String> issuerType() {
        return ValueType.matching(
                "the issuer of tokens, such as https://login.example.com/realms/one, or nothing",
                "|" + FORM);
    }

    /** Reads the settings; empty when there is no provider, or when a setting is wrong. */
    static Optional<OidcConfig> of(ConfigSource from) {
        String issuer = from.get(Keys.OIDC_ISSUER);
        List<String> audiences = from.get(Keys.OIDC_AUDIENCES);
        Optional<Path> authorities = from.get(Keys.OIDC_CA).map(Path::toAbsolutePath);
        boolean plain = from.get(Keys.OIDC_PLAIN_LOOPBACK);
        if (issuer.isEmpty()) {
            if (!audiences.isEmpty() || authorities.isPresent()) {
                from.problem(
                        "identity.oidc.audiences and identity.oidc.ca-file belong to"
                                + " identity.oidc.issuer: write that, too");
            }
            return Optional.empty();
        }
        if (audiences.isEmpty()) {
            from.problem(
                    "identity.oidc.issuer needs identity.oidc.audiences: write the client ids whose"
                            + " tokens may be used here");
        }
        if (issuer.startsWith("http:") && !plain) {
            from.problem(
                    "identity.oidc.issuer is "
                            + issuer
                            + "; write https, or for a provider on a loopback address"
                            + " identity.oidc.http-on-loopback = true");
        }
        if (ValueType.withHost(issuer).isEmpty()) {
            from.problem("identity.oidc.issuer is " + issuer + ", which names no host; write one");
        }
        return Optional.of(new OidcConfig(issuer, audiences, authorities, plain));
    }

    /** Returns host and path: the name of the provider in ARNs and condition keys. */
    public String name() {
        return issuer.substring(issuer.indexOf("://") + "://".length());
    }

    /** Returns the name of the provider as a principal. */
    public String arn() {
        return Principal.providerArn(name());
    }
}
