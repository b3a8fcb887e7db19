package io.volute.server.config;

import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.RootCredentials;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads the users of the configuration file. Never puts a secret into a message. */
final class UserList {
    private static final List<String> FIELDS =
            List.of("access-key", "secret-key", "principal", "display-name");

    private final String where;
    private final List<String> problems;

    UserList(String where, List<String> problems) {
        this.where = where;
        this.problems = problems;
    }

    List<Credential> read(ConfigList list) {
        List<Credential> users = new ArrayList<>();
        Set<String> accessKeys = new HashSet<>();
        for (ConfigValue value : list) {
            if (!(value instanceof ConfigObject user)) {
                problems.add(
                        "users in "
                                + where
                                + " must be a list of { access-key = ..., secret-key = ... }");
                continue;
            }
            user.keySet().stream()
                    .filter(field -> !FIELDS.contains(field))
                    .forEach(
                            field ->
                                    problems.add(
                                            "unknown key "
                                                    + field
                                                    + " of a user in "
                                                    + where
                                                    + SpellingAdvice.advice(field, FIELDS)));
            String accessKey = field(user, "access-key", "");
            String principal = field(user, "principal", accessKey);
            Credential credential =
                    new Credential(
                            accessKey,
                            field(user, "secret-key", ""),
                            principal,
                            field(user, "display-name", principal),
                            false);
            RootCredentials.problem(credential)
                    .ifPresent(p -> problems.add("a user in " + where + ": " + p));
            if (Credential.isReserved(principal)) {
                problems.add(
                        "a user in "
                                + where
                                + ": the principal "
                                + principal
                                + " is reserved, choose another");
            }
            if (!accessKeys.add(accessKey)) {
                problems.add(
                        "users in " + where + ": the access-key " + accessKey + " is there twice");
            }
            users.add(credential);
        }
        return users;
    }

    private static String field(ConfigObject user, String name, String otherwise) {
        ConfigValue value = user.get(name);
        return value == null ? otherwise : String.valueOf(value.unwrapped());
    }
}
