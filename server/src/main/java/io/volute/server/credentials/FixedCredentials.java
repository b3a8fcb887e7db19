package io.volute.server.credentials;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Credentials that do not change while the server runs. Immutable. */
public final class FixedCredentials implements CredentialStore {
    private final Map<String, Credential> byAccessKey;
    private final Map<String, String> displayNames;

    /** Later ones replace earlier ones with the same access key. */
    public FixedCredentials(Collection<Credential> credentials) {
        Map<String, Credential> map = new HashMap<>();
        credentials.forEach(c -> map.put(c.accessKey(), c));
        byAccessKey = Map.copyOf(map);
        Map<String, String> names = new HashMap<>();
        map.values().forEach(c -> names.put(c.principal(), c.displayName()));
        displayNames = Map.copyOf(names);
    }

    @Override
    public Optional<String> displayName(String principal) {
        return Optional.ofNullable(displayNames.get(principal));
    }

    @Override
    public Optional<Credential> account(String principal) {
        return byAccessKey.values().stream()
                .filter(each -> each.principal().equals(principal))
                .findFirst();
    }

    @Override
    public Optional<Credential> find(String accessKey) {
        return Optional.ofNullable(byAccessKey.get(accessKey));
    }
}
