package io.volute.server.credentials;

import io.volute.server.credentials.Credential.Kind;
import io.volute.server.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The caller that made a configuration, for which the server works later. {@link
 * CredentialStore#standing} returns the caller as it is then. It names the user or role, not the
 * access key: a key may be exchanged. Immutable.
 *
 * @param id of the user or role, which no later one of the name has; empty for the root and the
 *     users of the configuration file
 * @param session name of the session of a role; empty for others
 * @param policy the document that narrowed the session of the caller
 */
public record Configurer(
        Kind kind, String principal, String id, String session, Optional<String> policy) {
    private static final String KIND = "kind";
    private static final String PRINCIPAL = "principal";
    private static final String ID = "id";
    private static final String SESSION = "session";
    private static final String POLICY = "policy";

    /** Returns the form at rest, a JSON document. */
    public String text() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put(KIND, kind.name());
        fields.put(PRINCIPAL, principal);
        fields.put(ID, id);
        fields.put(SESSION, session);
        policy.ifPresent(document -> fields.put(POLICY, document));
        return new String(Json.write(fields), StandardCharsets.UTF_8);
    }

    /**
     * Reads the form at rest.
     *
     * @throws IOException when it is none
     */
    public static Configurer of(String text) throws IOException {
        Map<String, Object> fields = Json.read(text.getBytes(StandardCharsets.UTF_8));
        try {
            return new Configurer(
                    Kind.valueOf((String) fields.get(KIND)),
                    (String) fields.get(PRINCIPAL),
                    (String) fields.get(ID),
                    (String) fields.get(SESSION),
                    Optional.ofNullable((String) fields.get(POLICY)));
        } catch (RuntimeException e) {
            throw new IOException("the configurer of a replication cannot be read", e);
        }
    }
}
