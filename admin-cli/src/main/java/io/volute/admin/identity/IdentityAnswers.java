package io.volute.admin.identity;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.Facts;
import io.volute.admin.output.Table;
import io.volute.adminapi.IdentityApi.Holder;
import io.volute.adminapi.IdentityApi.NewKey;
import io.volute.adminapi.IdentityApi.Page;
import io.volute.adminapi.IdentityApi.PageRequest;
import io.volute.adminapi.IdentityApi.User;
import io.volute.adminapi.Route;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Shared output of the commands about users, keys, groups, roles and policies. */
final class IdentityAnswers {
    private IdentityAnswers() {}

    /** Shows a list as it is now, or as JSON. */
    static <E> Integer list(
            ServerOptions server,
            Route<PageRequest, ? extends Page<E>> route,
            String name,
            Table<E> table)
            throws InterruptedException {
        return server.run(
                client -> {
                    List<E> all = client.all(route);
                    if (server.isJson()) {
                        server.print(Map.of(name, all));
                    } else {
                        table.print(all, server.tables());
                        if (table.isEmpty()) {
                            server.out().println("no " + name);
                            server.out().flush();
                        }
                    }
                    return ServerOptions.OK;
                });
    }

    /**
     * @param done what to tell people when it is, by line
     */
    static <Q extends Record> Integer ask(
            ServerOptions server, Route<Q, ?> route, Q asked, String... done)
            throws InterruptedException {
        return server.run(client -> server.done(client.ask(route, asked), done));
    }

    /**
     * Returns a user by name.
     *
     * @throws IOException if there is none, or the server cannot be reached
     */
    static User user(AdminClient client, String name) throws IOException, InterruptedException {
        return client.all(Routes.LIST_USERS).stream()
                .filter(user -> user.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IOException(
                                        "there is no user "
                                                + name
                                                + ": 'volute user list' lists the users"));
    }

    static String accessKey(NewKey key) {
        return Facts.line("access key", key.accessKey());
    }

    static String secretKey(NewKey key) {
        return Facts.line("secret key", key.secretKey() + "  shown this once only: keep it");
    }

    static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }

    static String names(List<String> names) {
        return names.isEmpty() ? "-" : String.join(",", names);
    }

    /** Returns managed policies, and inline ones in brackets. */
    static String policies(Holder holder) {
        List<String> names = new ArrayList<>(holder.policies());
        holder.inline().keySet().forEach(each -> names.add("(" + each + ")"));
        return names(names);
    }

    /** Returns access keys; those that are disabled in brackets. */
    static String keys(User user) {
        return names(
                user.keys().stream()
                        .map(key -> key.active() ? key.accessKey() : "(" + key.accessKey() + ")")
                        .toList());
    }
}
