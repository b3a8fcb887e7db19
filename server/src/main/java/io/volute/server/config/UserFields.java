package io.volute.server.config;

import io.volute.server.config.key.Key;
import io.volute.server.config.key.ValueType;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.RootCredentials;
import java.util.List;
import java.util.Optional;

/** The fields of a user in the configuration file. Never puts a secret into a message. */
final class UserFields {
    static final Key.Section SECTION = new Key.Section("any");

    private static final Key<String> ACCESS_KEY =
            SECTION.field("access-key", "", ValueType.text(), "Access key of the user.");
    private static final Key<String> SECRET_KEY =
            SECTION.field("secret-key", "", ValueType.text(), "Secret key, at least 8 characters.");
    private static final Key<String> PRINCIPAL =
            SECTION.field(
                    "principal",
                    "",
                    ValueType.text(),
                    "Owner of the user's buckets. Without it, the access key.");
    private static final Key<String> DISPLAY_NAME =
            SECTION.field(
                    "display-name",
                    "",
                    ValueType.text(),
                    "Name for display. Without it, the principal.");

    private UserFields() {}

    /** Reads a user. */
    static Optional<Credential> read(ObjectList.Element from) {
        from.accept(List.of(SECTION));
        String accessKey = from.get(ACCESS_KEY);
        String principal = from.has(PRINCIPAL) ? from.get(PRINCIPAL) : accessKey;
        Credential user =
                new Credential(
                        accessKey,
                        from.get(SECRET_KEY),
                        principal,
                        from.has(DISPLAY_NAME) ? from.get(DISPLAY_NAME) : principal,
                        false);
        RootCredentials.problem(user).ifPresent(from::problem);
        if (Credential.isReserved(principal)) {
            from.problem("the principal " + principal + " is reserved, choose another");
        }
        return Optional.of(user);
    }
}
