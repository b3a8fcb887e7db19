package io.volute.server.oidc;

import io.volute.server.auth.policy.ConditionKeys;
import io.volute.server.config.OidcConfig;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A caller that a provider has authenticated, by the claims of a checked token.
 *
 * @param audiences those of the token that the settings allow; at least one
 * @param party the client that the token was issued to ({@code azp})
 * @param tags for the session, by key
 * @param transitiveTagKeys keys among them
 */
public record WebIdentity(
        OidcConfig provider,
        String subject,
        List<String> audiences,
        Optional<String> party,
        Map<String, String> tags,
        List<String> transitiveTagKeys) {
    public WebIdentity {
        audiences = List.copyOf(audiences);
        tags = Map.copyOf(tags);
        transitiveTagKeys = List.copyOf(transitiveTagKeys);
    }

    /**
     * Returns the condition keys of the caller, before those of the request.
     *
     * @param session the name of the role's session
     */
    public ConditionKeys keys(String session, ConditionKeys request) {
        String begin = provider.name() + ":";
        return key -> {
            if (key.regionMatches(true, 0, begin, 0, begin.length())) {
                return claim(key.substring(begin.length()).toLowerCase(Locale.ROOT));
            }
            return switch (key) {
                case "aws:federatedprovider" -> List.of(provider.arn());
                case "sts:rolesessionname" -> List.of(session);
                default -> request.values(key);
            };
        };
    }

    private List<String> claim(String name) {
        return switch (name) {
            case "aud" -> audiences;
            case "sub" -> List.of(subject);
            case "azp" -> party.stream().toList();
            default -> List.of();
        };
    }
}
