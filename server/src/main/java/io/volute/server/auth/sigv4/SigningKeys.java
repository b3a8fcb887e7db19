package io.volute.server.auth.sigv4;

import io.volute.adminapi.signing.SigningKey;
import io.volute.server.Limits;
import io.volute.server.credentials.Credential;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Derived keys, the last one for each access key, at most {@link Limits#SIGNING_KEYS_MAX}.
 * Thread-safe.
 */
final class SigningKeys {
    /** The secret is kept to notice its change; compared in constant time. */
    private record Derived(byte[] secret, String date, SigningKey key) {}

    private final String region;
    private final String service;
    private final ConcurrentHashMap<String, Derived> keys = new ConcurrentHashMap<>();

    SigningKeys(String region, String service) {
        this.region = region;
        this.service = service;
    }

    /**
     * Returns the keys for each region that a scope may name. IAM and STS have one endpoint for all
     * regions: clients sign for its region, or leave theirs empty.
     *
     * @param own the region of the server
     */
    static Map<String, SigningKeys> byRegion(String own, String service) {
        Set<String> regions = new HashSet<>(Set.of(own));
        if (!service.equals(SigningKey.SERVICE)) {
            regions.addAll(List.of("", "us-east-1"));
        }
        return regions.stream()
                .collect(
                        Collectors.toUnmodifiableMap(
                                each -> each, each -> new SigningKeys(each, service)));
    }

    SigningKey key(Credential credential, String date) {
        byte[] secret = credential.secretKey().getBytes(StandardCharsets.UTF_8);
        Derived known = keys.get(credential.accessKey());
        if (known != null
                && known.date().equals(date)
                && MessageDigest.isEqual(known.secret(), secret)) {
            return known.key();
        }
        SigningKey key = SigningKey.derive(credential.secretKey(), date, region, service);
        if (keys.size() >= Limits.SIGNING_KEYS_MAX) {
            keys.clear();
        }
        keys.put(credential.accessKey(), new Derived(secret, date, key));
        return key;
    }
}
