package io.volute.admin.identity;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.Confirmation;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.Facts;
import io.volute.admin.output.Table;
import io.volute.adminapi.IdentityApi.Group;
import io.volute.adminapi.IdentityApi.Holder;
import io.volute.adminapi.IdentityApi.NewKey;
import io.volute.adminapi.IdentityApi.Page;
import io.volute.adminapi.IdentityApi.PageRequest;
import io.volute.adminapi.IdentityApi.Policy;
import io.volute.adminapi.IdentityApi.Role;
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
import java.util.function.Predicate;

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

    /** Finds out what goes with an identity. */
    @FunctionalInterface
    interface Loss {
        String question(AdminClient client) throws IOException, InterruptedException;
    }

    /** Removes something once that is confirmed. */
    static <Q extends Record> Integer remove(
            ServerOptions server,
            Confirmation confirmation,
            Loss loss,
            Route<Q, ?> route,
            Q asked,
            String done)
            throws InterruptedException {
        return server.run(
                client -> {
                    confirmation.require(() -> loss.question(client));
                    return server.done(client.ask(route, asked), done);
                });
    }

    /**
     * Returns a user by name.
     *
     * @throws IOException if there is none, or the server cannot be reached
     */
    static User user(AdminClient client, String name) throws IOException, InterruptedException {
        return find(client, Routes.LIST_USERS, "user", name, each -> each.name().equals(name));
    }

    /** Returns the user of an access key, as {@link #user}. */
    static User owner(AdminClient client, String accessKey)
            throws IOException, InterruptedException {
        return find(
                client,
                Routes.LIST_USERS,
                "key",
                accessKey,
                each -> each.keys().stream().anyMatch(key -> key.accessKey().equals(accessKey)));
    }

    /** Returns a group by name, as {@link #user}. */
    static Group group(AdminClient client, String name) throws IOException, InterruptedException {
        return find(client, Routes.LIST_GROUPS, "group", name, each -> each.name().equals(name));
    }

    /** Returns a role by name, as {@link #user}. */
    static Role role(AdminClient client, String name) throws IOException, InterruptedException {
        return find(client, Routes.LIST_ROLES, "role", name, each -> each.name().equals(name));
    }

    /** Returns a policy by name, as {@link #user}. */
    static Policy policy(AdminClient client, String name) throws IOException, InterruptedException {
        return find(client, Routes.LIST_POLICIES, "policy", name, each -> each.name().equals(name));
    }

    private static <E> E find(
            AdminClient client,
            Route<PageRequest, ? extends Page<E>> route,
            String kind,
            String name,
            Predicate<E> isIt)
            throws IOException, InterruptedException {
        return client.all(route).stream()
                .filter(isIt)
                .findFirst()
                .orElseThrow(
                        () ->
                                new IOException(
                                        "there is no "
                                                + kind
                                                + " "
                                                + name
                                                + ": 'volute "
                                                + kind
                                                + " list' lists all"));
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

    /** Returns the policies as part of a sentence. */
    static String policyWords(Holder holder) {
        return holder.policies().isEmpty() && holder.inline().isEmpty()
                ? "no policies"
                : "the policies " + policies(holder);
    }

    /** Returns access keys; those that are disabled in brackets. */
    static String keys(User user) {
        return names(
                user.keys().stream()
                        .map(key -> key.active() ? key.accessKey() : "(" + key.accessKey() + ")")
                        .toList());
    }
}
