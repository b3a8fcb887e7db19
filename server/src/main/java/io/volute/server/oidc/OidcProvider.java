package io.volute.server.oidc;

import io.volute.server.config.OidcConfig;
import io.volute.server.json.Json;
import io.volute.server.json.VisibleText;
import io.volute.server.query.QueryException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Checks tokens of the configured provider (OpenID Connect Core 1.0, section 3.1.3.7; RFC 8725).
 * The provider's keys decide on a token, and never a key or an address that the token contains.
 * Thread-safe.
 */
public final class OidcProvider {
    private static final int MOST_TOKEN_CHARS = 20 * 1024;
    private static final int MOST_SUBJECT_CHARS = 255;
    private static final int SHOWN_CHARS = 256;

    /** Clocks of the provider and of this server may differ by this. */
    private static final long LEEWAY_SECONDS = 60;

    /** Types of other documents that a provider signs, such as logout tokens, are refused. */
    private static final Set<String> TYPES = Set.of("jwt", "at+jwt", "application/at+jwt");

    private final OidcConfig config;
    private final ProviderKeys keys;
    private final InstantSource clock;

    /**
     * @throws IOException when the certificates of the settings cannot be used
     */
    public OidcProvider(OidcConfig config, InstantSource clock) throws IOException {
        this(config, new ProviderKeys(config, clock), clock);
    }

    OidcProvider(OidcConfig config, ProviderKeys keys, InstantSource clock) {
        this.config = config;
        this.keys = keys;
        this.clock = clock;
    }

    /**
     * Checks a token and returns its caller.
     *
     * @throws QueryException with the code that STS has for the reason
     */
    public WebIdentity verify(String token) {
        if (token.isEmpty() || token.length() > MOST_TOKEN_CHARS) {
            throw QueryException.invalid(
                    "WebIdentityToken has 1 to " + MOST_TOKEN_CHARS + " characters.");
        }
        String[] parts = token.split("\\.", -1);
        if (parts.length != 3) {
            throw invalid("it is not a signed token of three parts");
        }
        Map<String, Object> header = document(parts[0]);
        TokenAlgorithm algorithm = algorithm(header);
        Map<String, Object> claims = document(parts[1]);
        if (!config.issuer().equals(claims.get("iss"))) {
            throw invalid(
                    "this server has no OpenID Connect provider "
                            + VisibleText.cut(String.valueOf(claims.get("iss")), SHOWN_CHARS));
        }
        Optional<String> id = Optional.ofNullable(header.get("kid")).map(String::valueOf);
        PublicKey key =
                keys.find(id, algorithm)
                        .orElseThrow(() -> invalid("the provider has no such key for it"));
        byte[] signed = (parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII);
        if (!algorithm.verifies(key, signed, bytes(parts[2]))) {
            throw invalid("its signature does not match");
        }
        checkTimes(claims);
        return identity(claims);
    }

    private static TokenAlgorithm algorithm(Map<String, Object> header) {
        if (header.containsKey("crit")) {
            throw invalid("it has extensions that this server does not know");
        }
        Object type = header.getOrDefault("typ", "JWT");
        if (!TYPES.contains(String.valueOf(type).toLowerCase(Locale.ROOT))) {
            throw invalid("it is of another type than JWT");
        }
        return TokenAlgorithm.named(header.get("alg"))
                .orElseThrow(
                        () -> invalid("its algorithm is not RS256, RS384, RS512, ES256 or ES384"));
    }

    private void checkTimes(Map<String, Object> claims) {
        long now = clock.instant().getEpochSecond();
        long expiry = seconds(claims, "exp").orElseThrow(() -> invalid("it has no exp"));
        long issued = seconds(claims, "iat").orElseThrow(() -> invalid("it has no iat"));
        if (expiry <= now - LEEWAY_SECONDS) {
            throw new QueryException(
                    400, "ExpiredTokenException", "The web identity token has expired.");
        }
        if (issued > now + LEEWAY_SECONDS
                || seconds(claims, "nbf").orElse(issued) > now + LEEWAY_SECONDS) {
            throw new QueryException(
                    403,
                    "IDPRejectedClaim",
                    "The web identity token is not valid yet: compare the clocks of the provider"
                            + " and of this server.");
        }
    }

    private static OptionalLong seconds(Map<String, Object> claims, String name) {
        return switch (claims.get(name)) {
            case Long number -> OptionalLong.of(number);
            case Double number -> OptionalLong.of(number.longValue());
            case null -> OptionalLong.empty();
            default -> throw invalid("its " + name + " is no number");
        };
    }

    private WebIdentity identity(Map<String, Object> claims) {
        String subject = claims.get("sub") instanceof String text ? text : "";
        boolean isVisible = subject.chars().noneMatch(Character::isISOControl);
        if (subject.isEmpty() || subject.length() > MOST_SUBJECT_CHARS || !isVisible) {
            throw invalid("its sub is not 1 to " + MOST_SUBJECT_CHARS + " visible characters");
        }
        Optional<String> party =
                claims.get("azp") instanceof String text ? Optional.of(text) : Optional.empty();
        List<Object> named = new ArrayList<>();
        if (claims.get("aud") instanceof List<?> several) {
            named.addAll(several);
        } else if (claims.containsKey("aud")) {
            named.add(claims.get("aud"));
        }
        List<String> accepted = config.audiences().stream().filter(named::contains).toList();
        if (accepted.isEmpty()) {
            throw invalid("its aud is none of identity.oidc.audiences");
        }
        TagClaims tags =
                TagClaims.of(claims)
                        .orElseThrow(
                                () ->
                                        invalid(
                                                "its claims https://aws.amazon.com/tags are not of"
                                                        + " AWS's form"));
        return new WebIdentity(config, subject, accepted, party, tags.tags(), tags.transitive());
    }

    private static Map<String, Object> document(String part) {
        try {
            return Json.read(bytes(part));
        } catch (IOException e) {
            throw invalid("it is not of base64url and JSON");
        }
    }

    private static byte[] bytes(String part) {
        try {
            return Base64.getUrlDecoder().decode(part);
        } catch (IllegalArgumentException e) {
            throw invalid("it is not of base64url and JSON");
        }
    }

    private static QueryException invalid(String why) {
        return new QueryException(
                400, "InvalidIdentityToken", "The web identity token is refused: " + why + ".");
    }
}
